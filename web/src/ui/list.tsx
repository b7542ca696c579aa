// A list of the API: a table, a page at a time by cursor, which the address has.
import type { ComponentChildren } from "preact";
import { href, useRoute } from "../route.js";
import type { Page, StreamEvent } from "../sdk.js";
import { t } from "../text/text.js";
import { useLoad } from "./load.js";
import { Await, Empty } from "./page.js";

export interface Column<T> {
  head: string;
  cell: (row: T) => ComponentChildren;
  number?: boolean;
}

interface ListProps<T> {
  /** What the table is of, for who cannot see it. */
  name: string;
  load: (page: { limit: number; cursor?: string }) => { first(): Promise<Page<T>> };
  deps?: readonly unknown[];
  columns: readonly Column<T>[];
  id: (row: T) => string;
  empty: ComponentChildren;
  on?: readonly string[] | ((event: StreamEvent) => boolean);
}

const pageSize = 25;

export function List<T>({ name, load, deps = [], columns, id, empty, on = [] }: ListProps<T>) {
  const { path, query } = useRoute();
  const cursor = query.get("cursor") ?? undefined;
  const page = useLoad(() => load({ limit: pageSize, ...(cursor ? { cursor } : {}) }).first(), [cursor, ...deps], on);
  const others = Object.fromEntries(query);
  return (
    <Await of={page}>
      {({ data, pagination }) =>
        data.length === 0 && !cursor ? <Empty>{empty}</Empty> : (
          <>
            <Table name={name} columns={columns} rows={data} id={id} />
            <nav aria-label={t("Pages of {name}", { name })} class="bar">
              {cursor && <a href={href(path, { ...others, cursor: undefined })}>{t("First page")}</a>}
              {pagination.next_cursor && <a href={href(path, { ...others, cursor: pagination.next_cursor })}>{t("Next page")}</a>}
            </nav>
          </>
        )}
    </Await>
  );
}

export function Table<T>({ name, columns, rows, id }: Pick<ListProps<T>, "name" | "columns" | "id"> & { rows: readonly T[] }) {
  return (
    <div class="table" role="region" aria-label={name} tabIndex={0}>
      <table>
        <thead><tr>{columns.map(({ head, number }) => <th scope="col" class={number ? "number" : ""} key={head}>{head}</th>)}</tr></thead>
        <tbody>
          {rows.map((row) => (
            <tr key={id(row)}>{columns.map(({ head, cell, number }) => <td class={number ? "number" : ""} key={head}>{cell(row)}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
