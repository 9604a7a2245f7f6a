-- SPDX-License-Identifier: Apache-2.0
-- `ptoasm lsp` as Neovim's own client sees it: nvim --headless --clean -l is newer than Debian's 0.7, so
-- `nvim --headless --clean -c 'luafile nvim.lua'`, with the program in PTOASM and a folder to work in in WORK.
-- Prints TAP on standard output and ends Neovim.
local uv = vim.loop
local count, failed = 0, 0

local function say(line)
  io.stdout:write(line .. '\n')
end

local function same(got, want)
  if not vim.deep_equal(got, want) then
    error('got ' .. vim.inspect(got) .. ', want ' .. vim.inspect(want), 2)
  end
end

local function test(name, body)
  count = count + 1
  local fine, why = pcall(body)
  say((fine and 'ok ' or 'not ok ') .. count .. ' - ' .. name)
  if not fine then
    failed = failed + 1
    say('# ' .. tostring(why):gsub('\n', '\n# '))
  end
end

local function wait(what, condition)
  if not vim.wait(30000, condition, 20) then
    error('no ' .. what, 2)
  end
end

-- The result of a request about a place: line and column count from 0.
local function ask(method, line, column, more)
  vim.api.nvim_win_set_cursor(0, { line + 1, column })
  local params = vim.tbl_extend('force', vim.lsp.util.make_position_params(), more or {})
  local answers, why = vim.lsp.buf_request_sync(0, method, params, 30000)
  for _, answer in pairs(answers or {}) do
    if answer.error then
      error(answer.error.message, 2)
    end
    return answer.result
  end
  error('no answer to ' .. method .. ': ' .. tostring(why), 2)
end

local function ids()
  return vim.tbl_map(function(d)
    return d.code or (d.user_data and d.user_data.lsp.code)
  end, vim.diagnostic.get(0))
end

local text = {
  '// größer 😀',
  'func.func @k(%s: f32) {',
  '  %a = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>',
  '  pto.tadds ins(%a, %s : !pto.tile_buf<vec, 32x32xf32>, f32) outs(%a : !pto.tile_buf<vec, 32x32xf32>)',
  '  return',
  '}',
}
local path = vim.env.WORK .. '/k.pto'
vim.fn.writefile(text, path)
vim.opt.runtimepath:append(vim.env.SYNTAX)
vim.cmd('filetype off | filetype plugin on | syntax on')
vim.cmd('edit ' .. path)

local ended
local client = vim.lsp.start_client({
  name = 'ptoasm',
  cmd = { vim.env.PTOASM, 'lsp', '--profile=a5' },
  on_exit = function(code)
    ended = code
  end,
})

test('the lines of docs/editors.md start the server', function()
  same(vim.env.SET_UP, '0')
end)

test('the client starts and attaches', function()
  assert(client, 'no client')
  vim.lsp.buf_attach_client(0, client)
  wait('initialisation', function()
    return vim.lsp.buf_is_attached(0, client) and vim.lsp.get_client_by_id(client).initialized
  end)
  same(ids(), {})
end)

test('diagnostics follow what is typed', function()
  vim.api.nvim_buf_set_text(0, 3, 6, 3, 11, { 'unheard' })
  wait('diagnostics', function()
    return vim.tbl_count(ids()) > 0
  end)
  same(ids(), { 'unknown-op' })
  local d = vim.diagnostic.get(0)[1]
  same({ d.lnum, d.col, d.end_col, d.source }, { 3, 2, 13, 'ptoasm' })
  vim.api.nvim_buf_set_text(0, 3, 6, 3, 13, { 'tadds' })
  wait('end of the diagnostics', function()
    return vim.tbl_count(ids()) == 0
  end)
  vim.api.nvim_buf_set_lines(0, 0, 1, true, { '// ü 😀', '// 😀 ü' })
  vim.api.nvim_buf_set_text(0, 4, 16, 4, 18, { '%q' })
  wait('diagnostics', function()
    return vim.tbl_count(ids()) > 0
  end)
  d = vim.diagnostic.get(0)[1]
  same({ ids()[1], d.lnum, d.col }, { 'undefined-value', 4, 16 })
  vim.api.nvim_buf_set_text(0, 4, 16, 4, 18, { '%a' })
  vim.api.nvim_buf_set_lines(0, 0, 2, true, { text[1] })
  wait('end of the diagnostics', function()
    return vim.tbl_count(ids()) == 0
  end)
  same(vim.api.nvim_buf_get_lines(0, 0, -1, true), text)
end)

test('hover', function()
  local hover = ask('textDocument/hover', 3, 6)
  assert(hover.contents.kind == 'markdown' and hover.contents.value:find('pto.tadds', 1, true), vim.inspect(hover))
  assert(hover.contents.value:find('Accepted here by cpu, a2a3 and a5.', 1, true), vim.inspect(hover))
  hover = ask('textDocument/hover', 3, 17)
  assert(hover.contents.value:find('a5: vec 0x0 to 0x1000, planned', 1, true), vim.inspect(hover))
end)

test('definition and references', function()
  local definition = ask('textDocument/definition', 3, 17)
  same(definition.range.start, { line = 2, character = 2 })
  local uses = ask('textDocument/references', 3, 17, { context = { includeDeclaration = true } })
  same(#uses, 3)
end)

test('completion', function()
  vim.api.nvim_buf_set_lines(0, 4, 4, true, { '  pto.tadds ins(%' })
  local result = ask('textDocument/completion', 4, 16)
  local items = vim.lsp.util.extract_completion_items(result)
  assert(#items >= 2, vim.inspect(items))
  vim.api.nvim_win_set_cursor(0, { 5, 16 })
  vim.api.nvim_buf_set_lines(0, 4, 5, true, {})
end)

test('signature help and folding', function()
  vim.api.nvim_buf_set_lines(0, 4, 4, true, { '  pto.tadds ins(%a, ' })
  local help = ask('textDocument/signatureHelp', 4, 19)
  local one = help.signatures[1]
  local active = one.parameters[help.activeParameter + 1].label
  same(one.label:sub(active[1] + 1, active[2]), '%scalar')
  vim.api.nvim_buf_set_lines(0, 4, 5, true, {})
  local folds = ask('textDocument/foldingRange', 0, 0)
  same({ #folds, folds[1].startLine, folds[1].endLine }, { 1, 1, 4 })
end)

test('a code lens of a case', function()
  vim.fn.writefile({ '{"cases": [{"name": "runs", "args": ["1"]}]}' }, vim.env.WORK .. '/k.test.json')
  vim.lsp.codelens.refresh()
  wait('lens', function()
    return #vim.lsp.codelens.get(0) > 0
  end)
  local lens = vim.lsp.codelens.get(0)[1]
  same({ lens.command.title, lens.range.start.line }, { 'run runs', 1 })
  vim.cmd('silent write')
  local answers = vim.lsp.buf_request_sync(0, 'workspace/executeCommand', {
    command = lens.command.command, arguments = lens.command.arguments,
  }, 30000)
  for _, answer in pairs(answers) do
    same(answer.result, 'runs: passed')
  end
end)

test('rename, formatting and code actions change the buffer', function()
  vim.api.nvim_win_set_cursor(0, { 3, 2 })
  vim.lsp.buf.rename('tile')
  wait('new name', function()
    return vim.api.nvim_buf_get_lines(0, 2, 3, true)[1]:find('%tile', 1, true) ~= nil
  end)
  local after = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')
  same(after, (table.concat(text, '\n'):gsub('%%a', '%%tile')))
  vim.api.nvim_buf_set_text(0, 4, 0, 4, 2, { '        ' })
  local edits = ask('textDocument/formatting', 0, 0, { options = { tabSize = 2, insertSpaces = true } })
  vim.lsp.util.apply_text_edits(edits, 0, vim.lsp.get_client_by_id(client).offset_encoding)
  same(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n'), after)
  vim.api.nvim_buf_set_text(0, 3, 6, 3, 11, { 'taddss' })
  wait('diagnostics', function()
    return vim.tbl_count(ids()) > 0
  end)
  vim.api.nvim_win_set_cursor(0, { 4, 4 })
  local params = vim.lsp.util.make_range_params()
  params.context = { diagnostics = {} }
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, 30000)
  for _, answer in pairs(answers) do
    vim.lsp.util.apply_workspace_edit(answer.result[1].edit, vim.lsp.get_client_by_id(client).offset_encoding)
  end
  same(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n'), after)
end)

test('outline', function()
  local symbols = ask('textDocument/documentSymbol', 0, 0)
  same({ symbols[1].name, symbols[1].children[1].name }, { '@k', '%tile' })
end)

test('syntax', function()
  local lines = {
    'func.func @k(%s: f32) { // f32',
    '  %a = pto.alloc_tile : !pto.tile_buf<vec, 32x16xf32, blayout=row_major>',
    '  pto.tcvt ins(%a : !t) outs(%b : !t) {rmode = #pto<round_mode RINT>}',
    '%d = tadds %s, 12 : !t',
    '# ins',
  }
  vim.fn.writefile(lines, vim.env.WORK .. '/s.pto')
  vim.cmd('edit! ' .. vim.env.WORK .. '/s.pto')
  same(vim.bo.filetype, 'pto')
  same(vim.bo.commentstring, '// %s')
  local function group(line, word, group_name)
    local column = lines[line]:find(word, 1, true)
    local got = vim.fn.synIDattr(vim.fn.synID(line, column, 1), 'name')
    same({ word, got }, { word, group_name })
  end
  group(1, 'func.func', 'ptoInstruction')
  group(1, '@k', 'ptoFunction')
  group(1, 'f32', 'ptoElement')
  group(1, '// f32', 'ptoComment')
  group(2, '%a', 'ptoValue')
  group(2, 'pto.alloc_tile', 'ptoInstruction')
  group(2, '!pto.tile_buf', 'ptoType')
  group(2, 'vec', 'ptoSpace')
  group(2, '32x16', 'ptoExtent')
  group(2, 'f32', 'ptoPacked')
  group(2, 'blayout', 'ptoTileKey')
  group(2, 'row_major', 'ptoWord')
  group(3, 'ins', 'ptoClause')
  group(3, '!t', 'ptoAlias')
  group(3, 'rmode', 'ptoKey')
  group(3, '#pto', 'ptoAttribute')
  group(3, 'round_mode', 'ptoFamily')
  group(3, 'RINT', 'ptoWord')
  group(4, 'tadds', 'ptoShort')
  group(4, '12', 'ptoNumber')
  group(5, 'ins', 'ptoComment')
  vim.cmd('edit! ' .. path)
end)

test('the server ends', function()
  vim.lsp.stop_client(client)
  wait('end', function()
    return ended ~= nil
  end)
  same(ended, 0)
end)

say('1..' .. count)
uv.sleep(0)
vim.cmd(failed > 0 and 'cquit 1' or 'qall!')
