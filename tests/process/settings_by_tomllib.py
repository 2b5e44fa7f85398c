"""Whether Python reads files of settings as mobula::process::parse_settings does: settings_by_tomllib.py COMPARISONS
Each line is one text and what was read of it, as settings_file_test.cpp writes it."""
import sys
import tomllib


def text(digits):
    return bytes.fromhex(digits).decode()


def value(kind, said):
    match kind:
        case "b":
            return text(said) == "true"
        case "i":
            return int(text(said))
        case "f":
            return float(text(said))
        case "l":
            return [text(item) for item in said.split(",")[:-1]]
    return text(said)


wrong = 0
for line in open(sys.argv[1]):
    source, *entries = line.split()
    source = bytes.fromhex(source[1:])
    ours = {text(key): value(kind, said) for kind, key, said in (entry.split(":") for entry in entries)}
    try:
        theirs = tomllib.loads(source.decode())
    except Exception as error:
        theirs = error
    if repr(ours) != repr(theirs):
        wrong += 1
        print(f"{source!r}: {ours!r} here, {theirs!r} there", file=sys.stderr)
sys.exit(wrong != 0)
