# SPDX-License-Identifier: Apache-2.0
"""What the samples compute, for their *.test.json: arguments by name, the results expected. Run them with
`ptoasm test samples`; they need numpy."""
import numpy as np


def float64(x):
    return x.astype(np.float64)


def softmax(x, y, rows):
    e = np.exp(float64(x) - float64(x).max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layernorm(x, gain, bias, y, rows):
    x = float64(x)
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(axis=1, keepdims=True) + 1e-5) * gain + bias


def gelu(x, y, rows):
    x = float64(x)
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def silu(x, y, rows):
    return float64(x) / (1 + np.exp(-float64(x)))


def rmsnorm(x, gain, y, rows, chunks):
    x = float64(x)
    return x / np.sqrt((x ** 2).mean(axis=1, keepdims=True) + 1e-5) * gain


def masked(x, y, least, rows):
    return np.where(x > least, float64(x), 0).sum(axis=1, keepdims=True)


def topk(x, values, places, rows):
    order = np.argsort(-x, axis=1, kind='stable')[:, :16]
    return np.take_along_axis(x, order, axis=1), order


def gemm(a, b, c, m, n, k):
    return float64(a) @ float64(b)


def flash_attention(q, k, v, o, slots, blocks, chunks):
    scores = float64(q) @ float64(k).reshape(-1, 64).T / 8
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True) @ float64(v)


def rotary(x, cos, sin, y, rows):
    a, b = float64(x[:, :64]), float64(x[:, 64:])
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=1)


def qk(q, k, s):
    return float64(q) @ float64(k).T


def histogram(x, total, rows):
    return (x[:, :, None] // 256 <= np.arange(256)).sum(axis=1)


def embedding(table, ids, y, words, n):
    return table.reshape(words, 64)[np.minimum(ids.reshape(-1), words - 1)]


def bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def experts(x, w, counts, y, rows, experts):
    of = np.repeat(np.arange(experts), counts.reshape(-1))
    wide = x if x.dtype == np.float32 else bf16(x)
    weights = (w if w.dtype == np.float32 else bf16(w)).reshape(experts, 64, 48)
    return np.einsum('rk,rkn->rn', wide, weights[of]).astype(np.float32)
