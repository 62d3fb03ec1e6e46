from tensorboardX.compression.training import TrainingLogger

with TrainingLogger("alexnet", logdir="runs/training") as logger:
    for epoch in range(3):
        loss = 1 / (epoch + 1)
        logger.log_epoch(
            epoch=epoch,
            train_loss=loss,
            train_acc=1 - loss / 2,
            train_f1=1 - loss / 2,
            val_loss=loss * 1.1,
            val_acc=1 - loss / 2,
            val_f1=1 - loss / 2,
        )
