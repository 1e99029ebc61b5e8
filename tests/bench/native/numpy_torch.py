"""The workloads in numpy and, where it is installed, torch: one thread, interleaved rounds, medians of CPU time as JSON.

Prints a list of {"id", "title", "label", "role", "name", "ms"}. --quick leaves out the large sizes; --only=W1,W4.
"""

import json
import math
import os
import sys
import time

# Before numpy: OpenBLAS and OpenMP read these when they start.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["OMP_WAIT_POLICY"] = "passive"

import numpy as np

try:
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
except ImportError:
    torch = None

QUICK = "--quick" in sys.argv
ONLY = next((arg[len("--only="):].split(",") for arg in sys.argv if arg.startswith("--only=")), None)
SAMPLE_SECONDS = 0.008
BUDGET_SECONDS = 2.0 if QUICK else 8.0
LEAST_ROUNDS, MOST_ROUNDS = 3, 15

results = []


def once(work, calls=1):
    start = time.process_time()
    for _ in range(calls):
        work()
    return (time.process_time() - start) / calls


def race(identity, title, label, contenders):
    """contenders: [(role, name, function)]."""
    if ONLY is not None and identity not in ONLY:
        return
    runners = []
    for role, name, work in contenders:
        once(work)
        seconds = once(work)
        runners.append((role, name, work, max(1, math.ceil(SAMPLE_SECONDS / max(seconds, 1e-6))), seconds, []))
    round_seconds = sum(calls * seconds for _, _, _, calls, seconds, _ in runners)
    for _ in range(max(LEAST_ROUNDS, min(MOST_ROUNDS, int(BUDGET_SECONDS / round_seconds)))):
        for _, _, work, calls, _, samples in runners:
            samples.append(once(work, calls) * 1000)
    for role, name, _, _, _, samples in runners:
        results.append({"id": identity, "title": title, "label": label, "role": role, "name": name,
                        "ms": sorted(samples)[len(samples) // 2]})


def inverse_frequencies(channels):
    return (10000.0 ** (-np.arange(0, channels, 2) / channels)).astype(np.float32)


def sinusoidal(length, d_model):
    frequencies = inverse_frequencies(d_model)

    def in_numpy():
        angles = np.arange(length, dtype=np.float32)[:, None] * frequencies
        table = np.empty((length, d_model), np.float32)
        np.sin(angles, out=table[:, 0::2])
        np.cos(angles, out=table[:, 1::2])
        return table

    def in_torch():
        angles = torch.arange(length, dtype=torch.float32)[:, None] * torch.from_numpy(frequencies)
        table = torch.empty(length, d_model)
        table[:, 0::2] = torch.sin(angles)
        table[:, 1::2] = torch.cos(angles)
        return table

    contenders = [("numpy", "sin, cos", in_numpy)]
    if torch is not None:
        contenders.append(("torch", "sin, cos", in_torch))
    race("W1", "sinusoidal table", f"{length} x {d_model}", contenders)


def rope(layout, heads, tokens, head_dim):
    random = np.random.default_rng(1)
    q, k = (random.random((heads, tokens, head_dim), np.float32) for _ in range(2))
    angles = np.arange(tokens, dtype=np.float32)[:, None] * inverse_frequencies(head_dim)
    cos, sin, half = np.cos(angles), np.sin(angles), head_dim // 2
    left, right = (slice(0, half), slice(half, None)) if layout == "half" else (slice(0, None, 2), slice(1, None, 2))

    def in_numpy(x):
        rotated = np.empty_like(x)
        a, b = x[..., left], x[..., right]
        rotated[..., left] = a * cos - b * sin
        rotated[..., right] = b * cos + a * sin
        return rotated

    contenders = [("numpy", "slices", lambda: (in_numpy(q), in_numpy(k)))]
    if torch is not None:
        tq, tk, tcos, tsin = (torch.from_numpy(x) for x in (q, k, cos, sin))
        whole_cos, whole_sin, turns = torch.cat([tcos, tcos], -1), torch.cat([tsin, tsin], -1), torch.complex(tcos, tsin)

        def rotate_half(x):
            swapped = torch.cat([-x[..., half:], x[..., :half]], -1)
            return x * whole_cos + swapped * whole_sin

        def by_complex_numbers(x):
            pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], half, 2))
            return torch.view_as_real(pairs * turns).flatten(-2)

        rotate = rotate_half if layout == "half" else by_complex_numbers
        name = "rotate_half" if layout == "half" else "complex numbers"
        contenders.append(("torch", name, lambda: (rotate(tq), rotate(tk))))
    race("W2", "RoPE on q and k", f"{layout}, 2 x {heads} x {tokens} x {head_dim}", contenders)


def slopes_of(heads):
    return (2.0 ** (-8.0 * np.arange(1, heads + 1) / heads)).astype(np.float32)


def alibi(heads, length):
    slopes, positions = slopes_of(heads)[:, None, None], np.arange(length, dtype=np.float32)
    contenders = [("numpy", "abs, multiply", lambda: -np.abs(positions[None] - positions[:, None])[None] * slopes)]
    if torch is not None:
        tslopes, tpositions = torch.from_numpy(slopes), torch.from_numpy(positions)
        in_torch = lambda: -(tpositions[None] - tpositions[:, None]).abs()[None] * tslopes
        contenders.append(("torch", "abs, multiply", in_torch))
    race("W3", "bias", f"ALiBi, {heads} x {length} x {length}", contenders)


def t5(heads, length):
    table = np.random.default_rng(1).random((32, heads), np.float32)

    def in_numpy():
        offset = np.arange(length)[None] - np.arange(length)[:, None]
        distance = np.abs(offset)
        far = 8 + (np.log(np.maximum(distance, 1) / np.float32(8)) / math.log(16) * 8).astype(np.int64)
        buckets = (offset > 0) * 16 + np.where(distance < 8, distance, np.minimum(far, 15))
        return np.ascontiguousarray(table[buckets].transpose(2, 0, 1))

    contenders = [("numpy", "buckets, gather", in_numpy)]
    if torch is not None:
        ttable = torch.from_numpy(table)

        def in_torch():
            offset = torch.arange(length)[None] - torch.arange(length)[:, None]
            distance = offset.abs()
            far = 8 + (torch.log(distance.clamp(min=1).float() / 8) / math.log(16) * 8).long()
            buckets = (offset > 0).long() * 16 + torch.where(distance < 8, distance, far.clamp(max=15))
            return ttable[buckets].permute(2, 0, 1).contiguous()

        contenders.append(("torch", "buckets, gather", in_torch))
    race("W3", "bias", f"T5, {heads} x {length} x {length}", contenders)


def attention(heads, tokens, head_dim=64):
    random = np.random.default_rng(1)
    q, k, v = (random.standard_normal((heads, tokens, head_dim), np.float32) for _ in range(3))
    offset = np.arange(tokens)[None] - np.arange(tokens)[:, None]
    bias = np.where(offset > 0, np.float32(-1e9), offset.astype(np.float32))[None] * slopes_of(heads)[:, None, None]
    scale = np.float32(1 / math.sqrt(head_dim))

    def in_numpy():
        weights = q @ k.transpose(0, 2, 1)
        weights *= scale
        weights += bias
        weights -= weights.max(-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(-1, keepdims=True)
        return weights @ v

    contenders = [("numpy", "matmul, exp", in_numpy)]
    if torch is not None:
        tq, tk, tv, tbias = (torch.from_numpy(x) for x in (q, k, v, bias))
        in_torch = lambda: torch.softmax(torch.baddbmm(tbias, tq, tk.transpose(1, 2), alpha=float(scale)), -1) @ tv
        contenders.append(("torch", "baddbmm, softmax", in_torch))
    race("W4", "causal attention with ALiBi", f"{heads} x {tokens} x {head_dim}", contenders)


def training(layers=2, d_model=64, heads=4, ff=256, length=64, batch=32, vocab=128):
    if torch is None:
        return
    head_dim = d_model // heads
    shapes = {"embedding": (vocab, d_model), "unembedding": (d_model, vocab)}
    for layer in range(layers):
        shapes |= {f"qkv{layer}": (d_model, 3 * d_model), f"out{layer}": (d_model, d_model),
                   f"up{layer}": (d_model, ff), f"down{layer}": (ff, d_model)}
    weights = {name: (torch.randn(shape) / math.sqrt(shape[0])).requires_grad_() for name, shape in shapes.items()}
    inputs, targets = (torch.randint(0, vocab, (batch, length)) for _ in range(2))
    positions = torch.randn(length, d_model)
    mask = torch.triu(torch.full((length, length), -1e9), 1)
    optimizer = torch.optim.Adam(weights.values(), 1e-3)

    def normalise(x):
        return torch.nn.functional.layer_norm(x, (d_model,))

    def attend(x, layer):
        joined = (normalise(x) @ weights[f"qkv{layer}"]).view(batch, length, 3, heads, head_dim)
        q, k, v = joined.permute(2, 0, 3, 1, 4)
        mixed = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(head_dim) + mask, -1) @ v
        return mixed.transpose(1, 2).reshape(batch, length, d_model) @ weights[f"out{layer}"]

    def step():
        x = weights["embedding"][inputs] + positions
        for layer in range(layers):
            x = x + attend(x, layer)
            x = x + torch.relu(normalise(x) @ weights[f"up{layer}"]) @ weights[f"down{layer}"]
        logits = normalise(x) @ weights["unembedding"]
        loss = torch.nn.functional.cross_entropy(logits.view(-1, vocab), targets.view(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    label = f"{layers} layers, d {d_model}, {batch} x {length} tokens"
    race("W5", "training step", label, [("torch", "Adam", step)])


sinusoidal(4096, 512)
if not QUICK:
    sinusoidal(131072, 128)
    rope("half", 32, 4096, 128)
    rope("interleaved", 32, 4096, 128)
alibi(16, 1024)
t5(16, 1024)
attention(8, 1024)
if not QUICK:
    attention(8, 4096)
training()
versions = f"numpy {np.__version__}" + ("" if torch is None else f", torch {torch.__version__}")
json.dump({"versions": versions, "results": results}, sys.stdout)
