// Levels in a folder: a file for each, whose time of modification is that of its use. Processes may share a folder.
import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LevelStorage, StoredLevel } from "./level_cache.js";

const suffix = ".level";
const unfinished = ".tmp";
const unfinishedAgeMax = 600_000; // ms

class FolderStorage implements LevelStorage {
  private written = 0;

  constructor(private readonly folder: string) {}

  async list(): Promise<StoredLevel[]> {
    const levels: StoredLevel[] = [];
    for (const name of await readdir(this.folder)) {
      const info = await stat(join(this.folder, name)).catch(() => null); // another process may have removed it
      if (info === null || !info.isFile()) continue;
      const used = info.mtimeMs;
      if (/^[0-9a-f]{64}\.level$/.test(name))
        levels.push({ key: name.slice(0, -suffix.length), bytes: info.size, used });
      else if (name.endsWith(unfinished) && Date.now() - used > unfinishedAgeMax) await rm(join(this.folder, name));
    }
    return levels;
  }

  read(key: string): Promise<Uint8Array> {
    return readFile(this.path(key));
  }

  async write(key: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.folder, `${key}.${process.pid}.${this.written++}${unfinished}`);
    try {
      await writeFile(path, bytes, { flag: "wx" });
      await rename(path, this.path(key));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  async touch(key: string): Promise<void> {
    const now = new Date();
    await utimes(this.path(key), now, now);
  }

  remove(key: string): Promise<void> {
    return rm(this.path(key), { force: true });
  }

  private path(key: string): string {
    return join(this.folder, key + suffix);
  }
}

/** Opens a folder, which is made if need be. Null if that is not possible. */
export async function openFolder(folder: string): Promise<LevelStorage | null> {
  try {
    await mkdir(folder, { recursive: true });
    return new FolderStorage(folder);
  } catch {
    return null;
  }
}
