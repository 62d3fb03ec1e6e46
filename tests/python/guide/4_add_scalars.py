import json

from tensorboardX import SummaryWriter

writer = SummaryWriter("runs/compression_benchmark")
with open("compression-engine/results/benchmark.json") as file:
    results = json.load(file)

for model, data in results.items():
    fp32, int8 = data["fp32"], data["int8"]
    for tag, key in (("accuracy", "accuracy"), ("latency", "latency_mean_ms")):
        writer.add_scalars(f"{model}/{tag}", {"fp32": fp32[key], "int8": int8[key]}, 0)

writer.close()
