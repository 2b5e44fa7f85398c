// Levels in a browser's IndexedDB. Sizes and times of use are apart from the bytes, so that a list does not read these.
import type { LevelStorage, StoredLevel } from "./level_cache.js";

const entries = "entries";
const contents = "contents";
const patience = 3000; // ms; some browsers never answer when storage is off

const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const endOf = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });

class IndexedDbStorage implements LevelStorage {
  constructor(private readonly database: IDBDatabase) {}

  list(): Promise<StoredLevel[]> {
    return resultOf(this.database.transaction(entries).objectStore(entries).getAll());
  }

  async read(key: string): Promise<Uint8Array> {
    const content: unknown = await resultOf(this.database.transaction(contents).objectStore(contents).get(key));
    if (!(content instanceof Uint8Array)) throw new Error("there is no such level");
    return content;
  }

  write(key: string, bytes: Uint8Array): Promise<void> {
    return this.change((entry, content) => {
      entry.put({ key, bytes: bytes.length, used: Date.now() } satisfies StoredLevel);
      content.put(bytes, key);
    });
  }

  touch(key: string): Promise<void> {
    return this.change((entry) => {
      const request: IDBRequest<StoredLevel | undefined> = entry.get(key);
      request.onsuccess = () => {
        if (request.result !== undefined) entry.put({ ...request.result, used: Date.now() });
      };
    });
  }

  remove(key: string): Promise<void> {
    return this.change((entry, content) => {
      entry.delete(key);
      content.delete(key);
    });
  }

  private change(run: (entry: IDBObjectStore, content: IDBObjectStore) => void): Promise<void> {
    const transaction = this.database.transaction([entries, contents], "readwrite");
    run(transaction.objectStore(entries), transaction.objectStore(contents));
    return endOf(transaction);
  }
}

/** Opens the storage of a name. Null if the browser has none, or does not permit it. */
export async function openIndexedDb(name: string): Promise<LevelStorage | null> {
  try {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(entries, { keyPath: "key" });
      request.result.createObjectStore(contents);
    };
    const timeout = new Promise<null>((resolve) => setTimeout(resolve, patience, null));
    const database = await Promise.race([resultOf(request), timeout]);
    return database === null ? null : new IndexedDbStorage(database);
  } catch {
    return null;
  }
}
