# SPDX-License-Identifier: Apache-2.0
# Builds of the whole project for the two machines that releases are for: `. scripts/machines.sh` after common.sh, with the
# folder of the builds in $out. Programs are static and have libtcc and the runtime in them.

# shellcheck shell=sh disable=SC2154
CROSS_PACKAGES='gcc-aarch64-linux-gnu libc6-dev-arm64-cross libdeflate-tools'

release_version() {
    sed -n "s/^ *version: '\(.*\)',\$/\1/p" meson.build | head -n 1
}

# Seconds since 1970 that files of a release have: those of the commit.
release_time() {
    echo "${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}"
}

# The two libraries that the program links, for the other machine, from Debian; nothing is installed.
fetch_aarch64() {
    [ ! -f "$out/sysroot/usr/lib/aarch64-linux-gnu/libtcc.a" ] || return 0
    mkdir -p "$out/lists/partial" "$out/sysroot"
    options="-q -o Dir::State::Lists=$out/lists -o APT::Architectures::=arm64 -o APT::Sandbox::User=$(id -un)"
    (
        cd "$out/sysroot" || exit
        # shellcheck disable=SC2086
        quietly apt-get $options update
        # shellcheck disable=SC2086
        quietly apt-get $options download libjansson-dev:arm64 libtcc-dev:arm64
        for package in *.deb; do
            dpkg -x "$package" .
        done
    )
}

cross_file() {
    root=$out/sysroot/usr lib=$out/sysroot/usr/lib/aarch64-linux-gnu
    cat <<END
[binaries]
c = [$(command -v ccache >/dev/null && echo "'ccache', ")'aarch64-linux-gnu-gcc', '-B$lib/']
ar = 'aarch64-linux-gnu-ar'
nm = 'aarch64-linux-gnu-nm'
ld = 'aarch64-linux-gnu-ld'
objcopy = 'aarch64-linux-gnu-objcopy'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
[built-in options]
c_args = ['-I$root/include']
c_link_args = ['-L$lib']
[properties]
sys_root = '$out/sysroot'
pkg_config_libdir = '$lib/pkgconfig'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
}

# install_for MACHINE FOLDER: builds, and installs the stripped result into the folder. x86_64 comes before aarch64: pages and
# completions are the same for every machine, and a cross build cannot make them.
install_for() {
    machine=$1 target=$2
    say "building for $machine"
    set -- --buildtype=release -Dtests=false -Dstandalone=true -Dmpi=disabled -Ddefault_library=both \
        -Dprefix=/ -Dlibdir=lib -Dpkgconfig.relocatable=true
    if [ "$machine" = aarch64 ]; then
        fetch_aarch64
        cross_file >"$out/aarch64.ini"
        set -- "$@" --cross-file "$out/aarch64.ini"
    fi
    build_folder "$out/$machine" "$@"
    rm -rf "$target"
    quietly env DESTDIR="$target" meson install -C "$out/$machine" --strip
    [ -d "$target/share/man" ] || cp -r "$out/share/." "$target/share"
    [ "$machine" != x86_64 ] || { rm -rf "$out/share" && cp -r "$target/share" "$out/share"; }
}

# The machines that can be built for: prints their names.
release_machines() {
    echo x86_64
    if command -v aarch64-linux-gnu-gcc >/dev/null 2>&1; then
        echo aarch64
    else
        echo 'no aarch64-linux-gnu-gcc (gcc-aarch64-linux-gnu): nothing is built for AArch64' >&2
    fi
}

# What every release script needs before it builds.
prepare_release() {
    [ "$(uname -m)" = x86_64 ] || {
        echo 'releases are built on x86-64' >&2
        return 1
    }
    # shellcheck disable=SC2086
    install_packages $BUILD_PACKAGES python3 || return
    # shellcheck disable=SC2086
    install_packages $CROSS_PACKAGES || :
}
