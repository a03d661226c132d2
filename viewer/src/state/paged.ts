// Pages of a long list, each asked for once: when it is first wanted, or wanted again after a request for it has failed.
// What comes too late, after another list is wanted, is dropped.

export class Paged<Page> {
  private pages = new Map<number, Page>();
  private waiting = new Set<number>();
  private generation = 0;
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  /** From now on another list is wanted. The old one stays in sight until begin(). */
  renew(): void {
    this.generation++;
    this.waiting = new Set();
  }

  /** The first page of the list that is wanted now. */
  begin(first: Page): void {
    this.pages = new Map([[0, first]]);
  }

  get(number: number): Page | undefined {
    return this.pages.get(number);
  }

  /** Asks for a page unless it is here or under way. Null if there is nothing new; the error of a failed request is passed on. */
  async fetch(number: number, ask: () => Promise<Page>): Promise<Page | null> {
    if (this.pages.has(number) || this.waiting.has(number)) return null;
    const { generation, waiting } = this;
    waiting.add(number);
    try {
      const page = await ask();
      if (generation !== this.generation) return null;
      if (this.pages.size >= this.most) this.pages.clear();
      this.pages.set(number, page);
      return page;
    } catch (error) {
      if (generation !== this.generation) return null;
      throw error;
    } finally {
      waiting.delete(number);
    }
  }
}
