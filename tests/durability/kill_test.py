"""A process that is killed loses no event for which Flush() had returned."""

import random
import time

from event_log import event_files, records, steps_by_tag
from writer_process import DurabilityTest, WriterProcess

KILLS = 50


class KillTest(DurabilityTest):
    def test_what_was_flushed_survives_a_kill_at_any_moment(self):
        chance = random.Random(20261115)
        torn = events = 0
        for round_number in range(KILLS):
            directory = self.directory / f"run{round_number}"
            with WriterProcess(directory, mode="endless") as writer:
                announced = [writer.answer()]
                time.sleep(chance.uniform(0, 0.04))
                announced += writer.kill()
            promised = [int(count) for count in announced[-1].split()[1:]]

            (path,) = event_files(directory)
            torn += records(path)[1] > 0
            steps = steps_by_tag(path)
            for number, count in enumerate(promised):
                found = steps.get(f"t{number}", [])
                self.assertGreaterEqual(len(found), count, f"round {round_number}")
                self.assertEqual(found, list(range(1, len(found) + 1)), "no gap, no repetition")
                events += len(found)
        print(f"{KILLS} kills, {events} events, {torn} files with a torn last record")
