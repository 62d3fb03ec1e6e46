// Whether what the page shows is as new as the server says it is.
//
// A page asks its first requests before the server has told it which snapshot is the newest. The
// responses name theirs, so that a page whose responses are all new enough has nothing to ask again.

export class Freshness {
  private newest: number | null = null; // Nothing was announced yet.
  private oldest = Infinity; // The oldest snapshot among the responses since the last refresh.

  /** `refresh` is called when an response is older than what was announced. */
  constructor(private readonly refresh: (snapshot: number) => void) {}

  /**
   * To be called when a request is sent; what it returns takes the snapshot of the response. An response
   * that names none is as old as the request: it may have missed what was announced since.
   */
  ask(): (snapshot: number | undefined) => void {
    const asOf = this.newest ?? -1;
    return (snapshot) => {
      this.oldest = Math.min(this.oldest, snapshot ?? asOf);
      this.check();
    };
  }

  /** The server's first word: which snapshot is the newest. */
  announce(snapshot: number): void {
    this.newest = snapshot;
    this.check();
  }

  /** To be called when everything is asked again. */
  refreshed(snapshot: number): void {
    this.newest = snapshot;
    this.oldest = Infinity;
  }

  private check(): void {
    if (this.newest !== null && this.oldest < this.newest) this.refresh(this.newest);
  }
}
