// Lists, which arrive in pages.

export interface Page<T> {
  data: T[];
  pagination: { limit: number; offset: number; total?: number | null; has_more: boolean; next_cursor?: string | null };
}

type Query = Record<string, unknown>;

/** A list. Iterating over it gives all entries and asks for a page when it gets there. */
export class Pages<T> implements AsyncIterable<T> {
  constructor(
    private readonly fetch: (query: Query) => Promise<Page<T>>,
    private readonly query: Query,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) {
      yield* page.data;
    }
  }

  /** Iterates over the pages. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    for (let query: Query | undefined = this.query; query; ) {
      const page: Page<T> = await this.fetch(query);
      yield page;
      query = following(query, page);
    }
  }

  /** Returns the first page. */
  first(): Promise<Page<T>> {
    return this.fetch(this.query);
  }
}

// Returns the query of the page that follows, if one does.
function following(query: Query, { data, pagination }: Page<unknown>): Query | undefined {
  if (!pagination.has_more || data.length === 0) {
    return undefined;
  }
  if (pagination.next_cursor) {
    return { ...query, offset: undefined, cursor: pagination.next_cursor };
  }
  return { ...query, offset: pagination.offset + data.length };
}
