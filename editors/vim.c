/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax file of Vim and Neovim. */
#include "editors/words.h"

#include <string.h>

enum { WIDTH = 110 };

/* `syn keyword GROUP word ...`, on as many lines as it takes. */
static void put_keywords(FILE *to, const char *group, const char *more, WordList list) {
    Words w = words_of(list);
    size_t column = WIDTH;
    for (size_t i = 0; i < w.n; i++) {
        size_t n = strlen(w.list[i]) + 1;
        if (column + n > WIDTH) {
            column = (size_t)fprintf(to, "%ssyn keyword %s%s", i > 0 ? "\n" : "", group, more);
        }
        fprintf(to, " %s", w.list[i]);
        column += n;
    }
    fputc('\n', to);
    words_free(&w);
}

/* The element type after the extents of a shape, where no word begins. */
static void put_packed(FILE *to) {
    Words w = words_of(WORDS_ELEMENTS);
    fputs("syn match ptoPacked /\\%(", to);
    for (size_t i = w.n; i-- > 0;)
        fprintf(to, "%s%s", w.list[i], i > 0 ? "\\|" : "\\)\\>/ contained\n");
    words_free(&w);
}

#define NAME "[A-Za-z0-9_$.-]\\+"

void write_vim(FILE *to) {
    fputs("\" Syntax of PTO assembly, written by `generate` from the tables of ptoasm.\n"
          "if exists('b:current_syntax')\n"
          "  finish\n"
          "endif\n"
          "syn case match\n"
          "syn iskeyword @,48-57,_,$,.\n"
          "\n",
          to);
    put_keywords(to, "ptoInstruction", "", WORDS_INSTRUCTIONS);
    put_keywords(to, "ptoShort", " contained", WORDS_SHORT);
    put_keywords(to, "ptoClause", "", WORDS_CLAUSES);
    put_keywords(to, "ptoElement", "", WORDS_ELEMENTS);
    put_keywords(to, "ptoKey", " contained", WORDS_KEYS);
    put_keywords(to, "ptoFamily", " contained", WORDS_FAMILIES);
    put_keywords(to, "ptoWord", " contained", WORDS_VALUES);
    put_keywords(to, "ptoTypeName", " contained", WORDS_TYPES);
    put_keywords(to, "ptoTileKey", " contained", WORDS_TILE_KEYS);
    put_keywords(to, "ptoSpace", " contained", WORDS_SPACES);
    put_packed(to);
    fputs("syn keyword ptoBoolean true false unit\n"
          "\n"
          "\" the name of a PTO-AS statement\n"
          "syn match ptoStart /^\\s*\\zs[a-z][a-z0-9_.]*/ "
          "contains=ptoShort,ptoInstruction,ptoClause\n"
          "syn match ptoStart /\\%(^\\s*%[^=]*=\\s*\\)\\@<=[a-z][a-z0-9_.]*/ "
          "contains=ptoShort,ptoInstruction\n"
          "syn match ptoValue /%" NAME "\\%(#\\d\\+\\)\\?/\n"
          "syn match ptoFunction /@\\%(" NAME "\\|\"[^\"]*\"\\)/\n"
          "syn match ptoLabel /\\^" NAME "/\n"
          "syn match ptoNumber "
          "/\\%([A-Za-z0-9_$.%#@]\\)\\@<!-\\?\\%(0x\\x\\+\\|\\d\\+\\%(\\.\\d*\\)\\?"
          "\\%([eE][+-]\\?\\d\\+\\)\\?\\)/\n"
          "syn match ptoExtent /\\%(\\d\\|?\\)\\+x\\%(\\%(\\d\\|?\\)\\+x\\)*/ contained "
          "nextgroup=ptoPacked\n"
          "syn match ptoKeyName /[{,]\\s*\\zs[a-z_.]\\+\\ze\\s*[=,}]/ contains=ptoKey\n"
          "syn match ptoAlias /!" NAME "/\n"
          "syn match ptoType /!pto\\." NAME "/\n"
          "syn region ptoTileType matchgroup=ptoType start=/!\\?\\<pto\\.[a-z_0-9A-Z]\\+</ end=/>/ "
          "oneline contains=ptoTileKey,ptoSpace,ptoWord,ptoElement,ptoExtent,ptoNumber,ptoType,"
          "ptoAlias,ptoTileType\n"
          "syn match ptoAttribute /#" NAME "/\n"
          "syn region ptoEnum matchgroup=ptoAttribute start=/#pto\\%(\\.[a-z_]\\+\\)\\?</ end=/>/ "
          "oneline "
          "contains=ptoFamily,ptoWord\n"
          "syn region ptoString start=/\"/ skip=/\\\\./ end=/\"/ oneline "
          "contains=ptoInstruction\n"
          "syn match ptoComment /\\/\\/.*$/ contains=ptoTodo\n"
          "syn match ptoComment /#\\ze\\%(\\s\\|$\\).*$/ contains=ptoTodo\n"
          "syn match ptoComment /#\\%(\\s.*\\)\\?$/ contains=ptoTodo\n"
          "syn match ptoComment /;.*$/ contains=ptoTodo\n"
          "syn keyword ptoTodo contained TODO FIXME\n"
          "\n"
          "hi def link ptoInstruction Statement\n"
          "hi def link ptoShort Statement\n"
          "hi def link ptoClause Keyword\n"
          "hi def link ptoElement Type\n"
          "hi def link ptoPacked Type\n"
          "hi def link ptoType Type\n"
          "hi def link ptoAlias Type\n"
          "hi def link ptoAttribute PreProc\n"
          "hi def link ptoFamily PreProc\n"
          "hi def link ptoKey Identifier\n"
          "hi def link ptoTileKey Identifier\n"
          "hi def link ptoWord Constant\n"
          "hi def link ptoSpace Constant\n"
          "hi def link ptoBoolean Boolean\n"
          "hi def link ptoExtent Number\n"
          "hi def link ptoNumber Number\n"
          "hi def link ptoValue Identifier\n"
          "hi def link ptoFunction Function\n"
          "hi def link ptoLabel Label\n"
          "hi def link ptoString String\n"
          "hi def link ptoComment Comment\n"
          "hi def link ptoTodo Todo\n"
          "\n"
          "let b:current_syntax = 'pto'\n",
          to);
}
