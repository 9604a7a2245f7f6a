/* SPDX-License-Identifier: Apache-2.0 */
/* Completions for bash, zsh and fish. */
#include "cli/manual/manual.h"

#include <string.h>

/* `explain` takes names; the other commands take files. */
static bool takes_names(const Command *cmd) {
    return strcmp(cmd->name, "explain") == 0;
}

/* Writes the values of an option, separated by blanks. */
static void put_values(FILE *to, const Values *v) {
    for (unsigned i = 0; i < v->n; i++)
        fprintf(to, "%s%s", i > 0 ? " " : "", v->words[i]);
}

/* Writes an option as it is typed, with `=` when a value follows. */
static void put_flag(FILE *to, const OptionRow *row) {
    fprintf(to, "%s%s", option_is_letter(row) ? "-" : "--", row->name);
    if (row->value != NULL && !option_is_letter(row)) fputc('=', to);
}

/* Writes the first line of a help text up to a `stop`, with a backslash before each character of
 * `special`. */
static void put_help(FILE *to, const char *help, const char *special) {
    for (; *help != '\0' && *help != '\n'; help++) {
        if (strchr(special, *help) != NULL) fputc('\\', to);
        if (*help == '\'')
            fputs("'\\''", to);
        else
            fputc(*help, to);
    }
}

/* ---- bash ---- */

static const char bash_head[] =
    "# bash completion for ptoasm. Made from the option tables.\n"
    "\n"
    "# _ptoasm_reply KIND WORD: the files or folders that begin with WORD.\n"
    "_ptoasm_reply() {\n"
    "    local name\n"
    "    while IFS= read -r name; do\n"
    "        if [[ $1 == file || $name == *.pto || -d $name ]]; then\n"
    "            COMPREPLY+=(\"$name\")\n"
    "        fi\n"
    "    done < <(compgen \"$([[ $1 == folder ]] && echo -d || echo -f)\" -- \"$2\")\n"
    "    compopt -o filenames 2>/dev/null\n"
    "}\n"
    "\n"
    "# _ptoasm_value COMMAND OPTION WORD: the values of an option that begin with WORD.\n"
    "_ptoasm_value() {\n"
    "    local values=\n"
    "    case $1:$2 in\n";

static void put_bash_values(FILE *to, const Command *cmd, const OptionRow *row) {
    Values v = option_values(row);
    if (v.kind == VALUE_OTHER) return;
    fprintf(to, "    %s:%s%s) ", cmd->name, option_is_letter(row) ? "-" : "--", row->name);
    if (v.kind == VALUE_ONE_OF) {
        fputs("values='", to);
        put_values(to, &v);
        fputc('\'', to);
    } else {
        fprintf(to, "_ptoasm_reply %s \"$3\"", v.kind == VALUE_FILE ? "file" : "folder");
    }
    fputs(" ;;\n", to);
}

static void put_bash_flags(FILE *to, const Command *cmd) {
    fprintf(to, "    %s) flags='", cmd->name);
    for (const OptionRow *row = cmd->rows; row->name != NULL; row++) {
        if (row > cmd->rows) fputc(' ', to);
        put_flag(to, row);
        if (row->letter != 0 && !option_is_letter(row)) fprintf(to, " -%c", row->letter);
    }
    fputs("' ;;\n", to);
}

void write_bash(FILE *to) {
    fputs(bash_head, to);
    for (size_t i = 0; commands[i] != NULL; i++)
        for (const OptionRow *row = commands[i]->rows; row->name != NULL; row++)
            put_bash_values(to, commands[i], row);
    fputs("    *) return 1 ;;\n"
          "    esac\n"
          "    [[ -z $values ]] || mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$3\")\n"
          "}\n"
          "\n"
          "_ptoasm_flags() {\n"
          "    local flags=\n"
          "    case $1 in\n",
          to);
    for (size_t i = 0; commands[i] != NULL; i++)
        put_bash_flags(to, commands[i]);
    fputs("    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$2\")\n"
          "    [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace "
          "2>/dev/null\n"
          "}\n"
          "\n"
          "_ptoasm() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} names\n"
          "    local command=${COMP_WORDS[1]}\n"
          "    COMPREPLY=()\n"
          "    if [[ $COMP_CWORD == 1 ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '",
          to);
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(to, "%s ", commands[i]->name);
    fputs("--help --version' -- \"$word\")\n"
          "        return\n"
          "    fi\n"
          "    # `=` is a word of its own.\n"
          "    if [[ $word == = ]]; then\n"
          "        word=\n"
          "    elif [[ $before == = ]]; then\n"
          "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    if [[ $before == -* ]] && _ptoasm_value \"$command\" \"$before\" \"$word\"; then\n"
          "        return\n"
          "    fi\n"
          "    if [[ $word == -* ]]; then\n"
          "        _ptoasm_flags \"$command\" \"$word\"\n"
          "    elif [[ $command == explain ]]; then\n"
          "        names=$(ptoasm explain --list 2>/dev/null | sed -n 's/^  \\([^ ]*\\).*/\\1/p')\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$names\" -- \"$word\")\n"
          "    else\n"
          "        _ptoasm_reply program \"$word\"\n"
          "    fi\n"
          "}\n"
          "\n"
          "complete -F _ptoasm ptoasm\n",
          to);
}

/* ---- zsh ---- */

static void put_zsh_action(FILE *to, const OptionRow *row) {
    Values v = option_values(row);
    if (row->value == NULL) return;
    fputc(':', to);
    put_help(to, row->value, ":[]");
    fputc(':', to);
    if (v.kind == VALUE_ONE_OF) {
        fputc('(', to);
        put_values(to, &v);
        fputc(')', to);
    } else if (v.kind != VALUE_OTHER) {
        fputs(v.kind == VALUE_FILE ? "_files" : "_files -/", to);
    }
}

/* Writes one spelling of an option: `--name=[help]:VALUE:action`. */
static void put_zsh_option(FILE *to, const OptionRow *row, bool letter) {
    fputs("        '*", to);
    if (letter)
        fprintf(to, "-%c", row->letter);
    else
        fprintf(to, "--%s", row->name);
    if (row->value != NULL) fputs(letter ? (*row->value == '[' ? "-" : "+") : "=", to);
    fputc('[', to);
    put_help(to, option_text(row->help), "[]:");
    fputc(']', to);
    put_zsh_action(to, row);
    fputs("' \\\n", to);
}

static void put_zsh_command(FILE *to, const Command *cmd) {
    fprintf(to, "    %s)\n      _arguments -s \\\n", cmd->name);
    for (const OptionRow *row = cmd->rows; row->name != NULL; row++) {
        if (row->letter != 0) put_zsh_option(to, row, true);
        if (!option_is_letter(row)) put_zsh_option(to, row, false);
    }
    fprintf(to, "        '*:%s'\n      ;;\n",
            takes_names(cmd) ? "name:_ptoasm_names" : "program:_files -g \"*.pto(-.)\"");
}

void write_zsh(FILE *to) {
    fputs("#compdef ptoasm\n"
          "# zsh completion for ptoasm. Made from the option tables.\n"
          "\n"
          "_ptoasm_names() {\n"
          "  local -a names\n"
          "  names=(${(f)\"$(ptoasm explain --list 2>/dev/null | sed -n 's/^  \\([^ "
          "]*\\).*/\\1/p')\"})\n"
          "  compadd -a names\n"
          "}\n"
          "\n"
          "_ptoasm() {\n"
          "  if (( CURRENT == 2 )); then\n"
          "    local -a commands\n"
          "    commands=(\n",
          to);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(to, "      '%s:", commands[i]->name);
        put_help(to, commands[i]->summary, "");
        fputs("'\n", to);
    }
    fputs("    )\n"
          "    _describe command commands\n"
          "    return\n"
          "  fi\n"
          "  local command=$words[2]\n"
          "  shift words\n"
          "  (( CURRENT-- ))\n"
          "  case $command in\n",
          to);
    for (size_t i = 0; commands[i] != NULL; i++)
        put_zsh_command(to, commands[i]);
    fputs("  esac\n"
          "}\n"
          "\n"
          "_ptoasm \"$@\"\n",
          to);
}

/* ---- fish ---- */

static void put_fish_option(FILE *to, const Command *cmd, const OptionRow *row) {
    Values v = option_values(row);
    fprintf(to, "complete -c ptoasm -n '__fish_seen_subcommand_from %s'", cmd->name);
    if (row->letter != 0) fprintf(to, " -s %c", row->letter);
    if (!option_is_letter(row)) fprintf(to, " -l %s", row->name);
    if (v.kind == VALUE_ONE_OF) {
        fputs(" -x -a '", to);
        put_values(to, &v);
        fputc('\'', to);
    } else if (row->value != NULL) {
        fputs(v.kind == VALUE_FILE     ? " -r -F"
              : v.kind == VALUE_FOLDER ? " -x -a '(__fish_complete_directories)'"
                                       : " -x",
              to);
    }
    fputs(" -d '", to);
    for (const char *p = option_text(row->help); *p != '\0' && *p != '\n'; p++) {
        if (*p == '\'' || *p == '\\') fputc('\\', to);
        fputc(*p, to);
    }
    fputs("'\n", to);
}

void write_fish(FILE *to) {
    fputs("# fish completion for ptoasm. Made from the option tables.\n"
          "complete -c ptoasm -f\n"
          "complete -c ptoasm -n __fish_use_subcommand -s h -l help -d 'print the commands'\n"
          "complete -c ptoasm -n __fish_use_subcommand -l version -d 'print the version'\n",
          to);
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(to, "complete -c ptoasm -n __fish_use_subcommand -a %s -d '%s'\n",
                commands[i]->name, commands[i]->summary);
    for (size_t i = 0; commands[i] != NULL; i++) {
        for (const OptionRow *row = commands[i]->rows; row->name != NULL; row++)
            put_fish_option(to, commands[i], row);
        fprintf(to, "complete -c ptoasm -n '__fish_seen_subcommand_from %s' -a '(%s)'\n",
                commands[i]->name,
                takes_names(commands[i])
                    ? "ptoasm explain --list 2>/dev/null | string match -r -g \"^  (\\S+)\""
                    : "__fish_complete_suffix .pto");
    }
}
