"""Prints data sets that are difficult for PCA, with NumPy's results, as JSON.

    python numpy_pca.py > expected.json
"""

import json
import sys

import numpy as np


def data_sets():
    random = np.random.default_rng(3)
    mixed = random.normal(size=(8, 8))
    cloud = random.normal(size=(300, 8)) * [9, 5, 3, 2, 1, 1, 0.5, 0.1] @ mixed
    yield "a cloud", cloud
    yield "columns that are nearly as strong as each other", random.normal(size=(500, 40))
    yield "points that occur many times", np.repeat(cloud[:5], 20, axis=0)
    yield "constant columns", np.hstack([cloud, np.full((300, 4), 7.25)])
    yield "more dimensions than points", random.normal(size=(12, 300))
    yield "large offsets", cloud + 1e6
    yield "a line", np.outer(np.arange(50.0), [1, 2, 3, 4])
    yield "two points", np.array([[1.0, 2, 3], [3, 2, 1]])
    yield "two columns", random.normal(size=(100, 2)) * [3, 1]
    yield "tiny numbers", cloud * 1e-20
    yield "many rows", random.normal(size=(6000, 16)) * np.linspace(4, 1, 16)
    yield "outliers at the end of many rows", np.vstack(
        [random.normal(size=(5000, 10)), 300 * np.eye(10)[:3], -300 * np.eye(10)[:1]]
    )


def main():
    sets = []
    for name, values in data_sets():
        rows = values.astype(np.float32)
        centred = rows.astype(np.float64) - rows.astype(np.float64).mean(axis=0)
        _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
        points = (centred @ directions[:3].T).T
        sets.append(
            {
                "name": name,
                "width": rows.shape[1],
                "rows": rows.ravel().tolist(),
                "sizes": sizes.tolist(),
                "points": points.tolist(),
            }
        )
    json.dump(sets, sys.stdout)


if __name__ == "__main__":
    main()
