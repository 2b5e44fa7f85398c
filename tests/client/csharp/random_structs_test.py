#!/usr/bin/env python3
"""Structs of random schemas lie in mono as flatc lays them out: random_structs_test.py BUILD_DIR [SEED].

Schemas have names that C# refuses or that become equal there. Status 77 without mono.
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

SCHEMAS = 12
TYPES = ["bool", "byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"]
NAMES = ["value", "Value", "a_b", "aB", "a__b", "equals", "to_string", "get_type", "lock", "object", "default", "_2d", "items",
         "items_array", "label", "label_utf8", "first", "length", "raw_on", "on", "padding0", "C0", "C1", "C2"]  # the structs are c0, c1, …


def enum(name, rng):
    kind = rng.choice(["byte", "ubyte", "ushort", "int", "ulong"])
    return f"enum {name}:{kind} {{ zero = 0, {', '.join(f'{each} = {at * 9 + 1}' for at, each in enumerate(rng.sample(NAMES, 4)))} }}\n"


def field(name, types, rng):
    """Returns a field that is a value, an array, a text, the hash of a name, or an entity."""
    form = rng.randrange(8)
    if form == 0:
        return f"  {name}:[ubyte:{rng.randint(1, 40)}] (fixed_string);\n"
    if form == 1:
        return f"  {name}:uint (string_id);\n"
    kind = rng.choice(types + ["mobula.engine.EntityRef", "mobula.engine.Vec3"])
    return f"  {name}:[{kind}:{rng.randint(1, 9)}];\n" if form < 4 else f"  {name}:{kind};\n"


def schema(number, rng):
    text = f'include "engine.fbs";\nnamespace r{number}.of_seed;\n' + enum("Kind", rng) + enum("kind", rng)
    plain = TYPES + ["Kind", "kind"]
    inner = [f"  {name}:{rng.choice(plain)};\n" for name in rng.sample(NAMES, rng.randint(1, 5))]
    text += f"struct Inner {{\n{''.join(inner)}}}\n"
    for at in range(6):
        text += f"struct c{at} (component) {{\n"
        text += "".join(field(name, plain + ["Inner"], rng) for name in rng.sample(NAMES, rng.randint(1, 12))) + "}\n"
    return text


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    root = pathlib.Path(__file__).resolve().parents[3]
    if not shutil.which("mcs") or not (build / "csharp/csharp_tests.exe").exists():
        return 77
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
    print(f"again: {sys.argv[0]} {sys.argv[1]} {seed}", flush=True)
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(root / "schema/engine.fbs", folder)
        for number in range(SCHEMAS):
            (folder / f"r{number}.fbs").write_text(schema(number, rng))
            subprocess.run(["flatc", "--binary", "--schema", "--bfbs-filenames", ".", f"r{number}.fbs"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            subprocess.run([build / "bin/mobula-schema-gen", f"r{number}.bfbs", "--csharp", f"r{number}.cs"], cwd=folder, check=True)
        subprocess.run(["mcs", "-langversion:latest", "-warn:4", "-warnaserror", "-t:library", "-out:structs.dll",
                        f"-r:{build}/csharp/Mobula.Client.dll", *(f"r{number}.cs" for number in range(SCHEMAS))], cwd=folder, check=True)
        shutil.copy(build / "csharp/Mobula.Client.dll", folder)
        return subprocess.run(["mono", build / "csharp/csharp_tests.exe", "LayoutTest"],
                              env=os.environ | {"TEST_STRUCTS": str(folder / "structs.dll")}).returncode


if __name__ == "__main__":
    sys.exit(main())
