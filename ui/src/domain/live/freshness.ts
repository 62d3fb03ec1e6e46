// Checks whether the page shows the newest snapshot of the server.
//
// A page sends its first requests before it knows which snapshot is the newest. Each response contains the number of
// its snapshot. If all responses belong to the newest snapshot, the page repeats no request.

export class Freshness {
  private newest: number | null = null; // The snapshot that the server announced; null before the first announcement.
  private oldest = Infinity; // The oldest snapshot among the responses since the last refresh.

  /** Calls `refresh` if a response belongs to an older snapshot than the announced one. */
  constructor(private readonly refresh: (snapshot: number) => void) {}

  /**
   * Call this when a request is sent. The returned function takes the snapshot number of the response. A response
   * without a number gets the snapshot that was the newest when the request was sent, because it may lack later
   * changes.
   */
  ask(): (snapshot: number | undefined) => void {
    const asOf = this.newest ?? -1;
    return (snapshot) => {
      this.oldest = Math.min(this.oldest, snapshot ?? asOf);
      this.check();
    };
  }

  /** Call this with the number of the newest snapshot when the server announces it for the first time. */
  announce(snapshot: number): void {
    this.newest = snapshot;
    this.check();
  }

  /** Call this when the page requests all data again. */
  refreshed(snapshot: number): void {
    this.newest = snapshot;
    this.oldest = Infinity;
  }

  private check(): void {
    if (this.newest !== null && this.oldest < this.newest) this.refresh(this.newest);
  }
}
