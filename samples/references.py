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
