"""Callbacks and exporters for training frameworks. A framework is imported only with its module.

    from compression_board.integrations.lightning import CompressionBoardLogger
    from compression_board.integrations.huggingface import CompressionBoardCallback
    from compression_board.integrations.accelerate import CompressionBoardTracker
    from compression_board.integrations.keras import CompressionBoardCallback
    from compression_board.integrations.ultralytics import add_callbacks
    from compression_board.integrations.ray_tune import CompressionBoardLoggerCallback
    from compression_board.integrations.mlflow import export_benchmark, import_runs
    from compression_board.integrations.wandb import export_benchmark, import_runs
"""
