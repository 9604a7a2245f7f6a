// SPDX-License-Identifier: Apache-2.0
// Runs a WebAssembly program for WASI: arguments, an empty environment, and files in memory. Nothing is left of the run before.
'use strict';

class Ended extends Error {
  constructor(code) {
    super('ended with ' + code);
    this.code = code;
  }
}

const WASI = (() => {
  const FINE = 0, BADF = 8, EXIST = 20, INVAL = 28, NOENT = 44, NOSYS = 52;
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  const ROOT = 3, DIRECTORY = 3, REGULAR = 4, DEVICE = 2;

  const clean = path => path.replace(/^(\.?\/)+/, '');

  // One run: the state of its files, and what the program calls.
  class Run {
    constructor(args, files) {
      this.args = args.map(word => encoder.encode(word + '\0'));
      this.files = new Map(Object.entries(files).map(([name, text]) => [name, encoder.encode(text)]));
      this.open = new Map([0, 1, 2].map(fd => [fd, this.file(new Uint8Array(0))]));
      this.open.set(ROOT, {folder: true});
      this.next = 4;
    }

    view() { return new DataView(this.memory.buffer); }
    bytes(at, n) { return new Uint8Array(this.memory.buffer, at, n); }
    text(at, n) { return decoder.decode(this.bytes(at, n).slice()); }

    // An open file has `length` bytes of `data`, and is read and written at `at`.
    file(data, name) { return {name, data, length: data.length, at: 0}; }
    grow(file, n) {
      if (n > file.data.length) {
        const larger = new Uint8Array(Math.max(n, 2 * file.data.length, 4096));
        larger.set(file.data);
        file.data = larger;
      }
      file.length = Math.max(file.length, n);
    }
    content(file) { return file.data.subarray(0, file.length); }

    stat(at, type, size) {
      const view = this.view();
      this.bytes(at, 64).fill(0);
      view.setUint8(at + 16, type);
      view.setBigUint64(at + 24, 1n, true);
      view.setBigUint64(at + 32, BigInt(size), true);
      return FINE;
    }

    // ---- the interface ----

    args_sizes_get(count, size) {
      this.view().setUint32(count, this.args.length, true);
      this.view().setUint32(size, this.args.reduce((sum, word) => sum + word.length, 0), true);
      return FINE;
    }
    args_get(list, at) {
      this.args.forEach((word, i) => {
        this.view().setUint32(list + 4 * i, at, true);
        this.bytes(at, word.length).set(word);
        at += word.length;
      });
      return FINE;
    }
    environ_sizes_get(count, size) {
      this.view().setUint32(count, 0, true);
      this.view().setUint32(size, 0, true);
      return FINE;
    }
    environ_get() { return FINE; }
    clock_time_get(id, precision, at) {
      this.view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return FINE;
    }
    random_get(at, n) {
      crypto.getRandomValues(this.bytes(at, n));
      return FINE;
    }
    proc_exit(code) { throw new Ended(code); }

    fd_prestat_get(fd, at) {
      if (fd !== ROOT) return BADF;
      this.view().setUint32(at, 0, true);
      this.view().setUint32(at + 4, 1, true);
      return FINE;
    }
    fd_prestat_dir_name(fd, at) {
      this.bytes(at, 1)[0] = 46;   // "."
      return FINE;
    }
    fd_fdstat_get(fd, at) {
      const file = this.open.get(fd);
      if (!file) return BADF;
      this.bytes(at, 24).fill(0);
      this.view().setUint8(at, file.folder ? DIRECTORY : fd < ROOT ? DEVICE : REGULAR);
      // A program may do everything but seek in standard streams.
      const rights = fd < ROOT ? 0xffffffdbn : 0xffffffffn;
      this.view().setBigUint64(at + 8, rights, true);
      this.view().setBigUint64(at + 16, 0xffffffffn, true);
      return FINE;
    }
    fd_fdstat_set_flags() { return FINE; }
    fd_filestat_get(fd, at) {
      const file = this.open.get(fd);
      if (!file) return BADF;
      return this.stat(at, file.folder ? DIRECTORY : fd < ROOT ? DEVICE : REGULAR, file.folder ? 0 : file.length);
    }
    path_filestat_get(fd, flags, path, n, at) {
      const name = clean(this.text(path, n)), data = this.files.get(name);
      if (name === '' || name === '.') return this.stat(at, DIRECTORY, 0);
      return data ? this.stat(at, REGULAR, data.length) : NOENT;
    }
    path_open(fd, follow, path, n, how, rights, inherit, flags, result) {
      const name = clean(this.text(path, n)), create = how & 1, exclusive = how & 4, truncate = how & 8;
      const known = this.files.get(name);
      if (name === '' || name === '.') this.open.set(this.next, {folder: true});
      else if (!known && !create) return NOENT;
      else if (known && exclusive) return EXIST;
      else this.open.set(this.next, this.file(truncate || !known ? new Uint8Array(0) : known.slice(), name));
      this.view().setUint32(result, this.next++, true);
      return FINE;
    }
    path_unlink_file(fd, path, n) { return this.files.delete(clean(this.text(path, n))) ? FINE : NOENT; }
    path_rename(fd, from, n, to_fd, to, m) {
      const name = clean(this.text(from, n)), data = this.files.get(name);
      if (!data) return NOENT;
      this.files.delete(name);
      this.files.set(clean(this.text(to, m)), data);
      return FINE;
    }
    fd_close(fd) {
      const file = this.open.get(fd);
      if (!file) return BADF;
      if (file.name !== undefined && file.written) this.files.set(file.name, this.content(file).slice());
      this.open.delete(fd);
      return FINE;
    }
    fd_read(fd, list, count, result) {
      const file = this.open.get(fd), view = this.view();
      if (!file || file.folder) return BADF;
      let total = 0;
      for (let i = 0; i < count; i++) {
        const at = view.getUint32(list + 8 * i, true), room = view.getUint32(list + 8 * i + 4, true);
        const part = this.content(file).subarray(file.at, file.at + room);
        this.bytes(at, part.length).set(part);
        file.at += part.length;
        total += part.length;
      }
      view.setUint32(result, total, true);
      return FINE;
    }
    fd_write(fd, list, count, result) {
      const file = this.open.get(fd), view = this.view();
      if (!file || file.folder) return BADF;
      let total = 0;
      for (let i = 0; i < count; i++) {
        const at = view.getUint32(list + 8 * i, true), n = view.getUint32(list + 8 * i + 4, true);
        this.grow(file, file.at + n);
        file.data.set(this.bytes(at, n), file.at);
        file.at += n;
        total += n;
      }
      file.written = true;
      view.setUint32(result, total, true);
      return FINE;
    }
    fd_seek(fd, offset, whence, result) {
      const file = this.open.get(fd);
      if (!file || file.folder) return BADF;
      const base = whence === 0 ? 0 : whence === 1 ? file.at : file.length;
      if (base + Number(offset) < 0) return INVAL;
      file.at = base + Number(offset);
      this.view().setBigUint64(result, BigInt(file.at), true);
      return FINE;
    }
  }

  // An instance that is kept: before each run its data are what they were when it was made, so that nothing is left of the run
  // before. Stack and heap need nothing: the program assumes nothing of them.
  class Kept {
    constructor(module) {
      const table = {};
      for (const {name} of WebAssembly.Module.imports(module))
        table[name] = (...values) => typeof this.run[name] === 'function' ? this.run[name](...values) : NOSYS;
      this.exports = new WebAssembly.Instance(module, {wasi_snapshot_preview1: table}).exports;
      this.stack = this.exports.__stack_pointer.value;
      this.data = new Uint8Array(this.exports.memory.buffer).slice(0, this.exports.__data_end.value);
    }
    start(run) {
      this.run = run;
      run.memory = this.exports.memory;
      this.exports.__stack_pointer.value = this.stack;
      new Uint8Array(this.exports.memory.buffer).set(this.data);
      this.exports._start();
    }
  }
  const MOST_BYTES = 1 << 28;
  const kept = new Map();

  // The instance of a module; a run that has failed, or has taken much memory, leaves none.
  function instance(module) {
    if (!kept.has(module)) kept.set(module, new Kept(module));
    return kept.get(module);
  }

  return {
    // run(module, ['ptoasm', 'check', ...], {'kernel.pto': text}): {code, out, err, files}
    run(module, args, files) {
      const run = new Run(args, files);
      let code = 0;
      try {
        instance(module).start(run);
      } catch (error) {
        code = error instanceof Ended ? error.code : 2;
        if (!(error instanceof Ended)) run.failure = String(error);
      }
      if (run.failure || run.memory?.buffer.byteLength > MOST_BYTES) kept.delete(module);
      const text = fd => decoder.decode(run.content(run.open.get(fd)));
      return {code, out: text(1), err: text(2) + (run.failure ? run.failure + '\n' : ''),
        files: Object.fromEntries([...run.files].map(([name, data]) => [name, decoder.decode(data)]))};
    },
  };
})();

if (typeof module !== 'undefined') module.exports = WASI;
