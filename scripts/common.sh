# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts: `. scripts/common.sh` from the top of the project.

# The tools of the build; the tests need a few more.
BUILD_PACKAGES='gcc libc6-dev meson ninja-build re2c bison pkg-config libjansson-dev libtcc-dev'
TEST_PACKAGES="$BUILD_PACKAGES clang libclang-rt-14-dev libcmocka-dev tcc git jq make python3 python3-yaml
python3-jsonschema golang-github-haya14busa-go-sarif-dev mandoc shellcheck
python3-pytest python3-numpy libopenmpi-dev openmpi-bin neovim"

say() {
    printf '\n== %s\n' "$*"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif ! command -v sudo >/dev/null 2>&1; then
        echo "needs root or sudo: $*" >&2
        return 1
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

# Runs a command silently; when it fails, shows what it said.
quietly() {
    log=$(mktemp)
    code=0
    "$@" >"$log" 2>&1 </dev/null || code=$?
    [ $code = 0 ] || cat "$log" >&2
    rm -f "$log"
    return $code
}

# Installs the packages that are missing, without questions; nothing happens when none is.
install_packages() {
    missing=
    for package in "$@"; do
        dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' ||
            missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null 2>&1 || {
        echo "missing, and there is no apt-get here:$missing" >&2
        return 1
    }
    say "installing$missing"
    # A password is asked for before the output is hidden.
    as_root true || return
    # An unreachable source that is of no use here must not stop the installation.
    quietly as_root apt-get -q update || echo 'apt-get update failed, going on with the old lists' >&2
    # shellcheck disable=SC2086
    quietly as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q install -y --no-install-recommends $missing
}

# build_folder FOLDER MESON-OPTIONS...: configures it once, then only builds.
build_folder() {
    folder=$1
    shift
    [ -f "$folder/build.ninja" ] || {
        rm -rf "$folder"
        quietly meson setup "$folder" "$@" || return
    }
    quietly ninja -C "$folder"
}
