"""Rules: what is checked in each passage (readers.py) and in test names. Findings are (line, rule, message)."""

import os
import re

SENTENCE_WORDS = 25
PARAGRAPH_WORDS = 80
HEADING_WORDS = 8
TEST_NAME_LENGTH = 60
# Their comments are public, whatever the marker.
HEADERS = re.compile(r"(?:shared|server|client|schema)/.*\.(?:hpp|fbs)$")

OPENING = re.compile(r"[(\"'\[ ]*(of|who|what|whose|such|by which|that which)(?![\w'-])", re.IGNORECASE)
OPENING_INSTEAD = {
    "of": "begin with the subject: 'Time of the last tick', 'The deltas of a tick …'",
    "who": "name them: 'A client that …', 'A player who …'",
    "what": "name the thing, or begin with a verb: 'Returns …', 'The values that …'",
    "whose": "name the owner: 'Bytes sent per component'",
    "such": "repeat the noun: 'These entities …'",
    "by which": "begin with the subject, or with 'Key of …'",
    "that which": "name the thing",
}


def load_words(path):
    """Returns one expression for all words, and the replacement of each of its groups."""
    patterns, instead = [], []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            pattern, arrow, better = line.partition(" => ")
            if not arrow:
                raise ValueError(f"{path}:{number}: expected PATTERN => INSTEAD")
            patterns.append(f"(?P<w{len(instead)}>{pattern})")
            instead.append(better)
    before, after = r"(?<![\w:./\\\-@#$%])", r"(?![\w(\\]|::|[/.]\w|-\w)"
    return re.compile(f"{before}(?:{'|'.join(patterns)}){after}", re.IGNORECASE), instead


WORDS, WORDS_INSTEAD = load_words(os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt"))


def check_words(passage):
    for match in WORDS.finditer(passage.text):
        start, end = match.span()
        if passage.text[start - 1:start] in '"\'' and passage.text[end:end + 1] in '"\'' and start > 0:
            continue
        instead = WORDS_INSTEAD[int(match.lastgroup[1:])]
        yield start, "words", f"'{match.group()}' (write instead: {instead})"


# ---- Sentences ----

SENTENCE_END = re.compile(r"[.!?][\"')\]]*\s+(?=[\"'(\[]*(?:[A-Z0-9\x01]|[a-z]\w*(?:[_(:-]|\.\w)))")
ABBREVIATION = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|cf|vs|etc|Fig|No|St|Mr|approx|resp|al|[A-Z])\.$")
WORD = re.compile(r"[^\s]*[\w\x01][^\s]*")


def sentences(text):
    """Returns (offset, sentence) of each sentence."""
    start = 0
    for match in SENTENCE_END.finditer(text):
        if ABBREVIATION.search(text, start, match.start() + 1):
            continue
        yield start, text[start:match.end()]
        start = match.end()
    if start < len(text):
        yield start, text[start:]


def check_openings(passage, questions):
    for offset, sentence in sentences(passage.text):
        match = OPENING.match(sentence)
        if not match or (offset == 0 and passage.continues):
            continue
        if questions and sentence.rstrip().endswith("?"):
            continue
        word = match.group(1)
        yield offset, "opening", f"the sentence opens with '{word}' (write instead: {OPENING_INSTEAD[word.lower()]})"


def check_sentences(passage):
    for offset, sentence in sentences(passage.text):
        words = len(WORD.findall(sentence))
        if words > SENTENCE_WORDS:
            beginning = " ".join(sentence.replace("\x01", "`…`").split()[:6])
            yield offset, "sentence", (f"{words} words, at most {SENTENCE_WORDS}: '{beginning} …' "
                                       "(write instead: one fact per sentence)")


def check_paragraph(passage):
    words = len(WORD.findall(passage.text))
    if words > PARAGRAPH_WORDS:
        yield 0, "paragraph", (f"{words} words, at most {PARAGRAPH_WORDS} "
                               "(write instead: one idea per paragraph; then a list, a table or a picture)")


VALUE_COLON = re.compile(r"(?<![\w.,:-])(?<![Ss]tatus )(0|[Nn]ull|[Ee]mpty|[Nn]othing|[Nn]one): (?=[a-z])")


def check_value_colon(passage):
    for match in VALUE_COLON.finditer(passage.text):
        if re.search(r"(?<![\w.])1: ", passage.text):
            continue  # a list of values
        value = match.group(1)
        better = "'0 disables it', '0 means …'" if value == "0" else f"'{value.capitalize()} if …'"
        yield match.start(), "value", f"'{value}:' (write instead: {better})"


# ---- Headings ----

HEADING_OPENING = re.compile(
    r"(?:who|what|how|why|when|where|which|whose|whether|if|it|its|this|these|that|those|there|of|by|such|to|as|you|we|i"
    r"|nobody|nothing|everything|everybody|somebody|one|let|do|don't|never|always|not|in|on|for|with|without|from|at"
    r"|after|before|while|until)\b", re.IGNORECASE)
HEADING_VERB = re.compile(
    r"(?:add|ask|begin|build|check|choose|compile|configure|connect|create|define|deploy|find|get|give|install|keep|know"
    r"|learn|look|make|measure|open|print|put|read|restore|run|save|see|send|set|show|start|stop|take|try|update|upgrade"
    r"|use|watch|write)\s+(?:an?|the|your|it|and|to|with|from|on|what|how|its|more|\x01)(?!\w)", re.IGNORECASE)
FINITE_VERB = re.compile(
    r"\b(?:is|are|was|were|does|do|did|has|have|had|can|cannot|may|must|will|should|would|isn't|aren't|don't|doesn't"
    r"|can't|won't)\b", re.IGNORECASE)


def check_heading(passage, questions):
    text, noun = passage.text.strip(), "(write instead: a noun, such as 'Checkpoints')"
    if questions and text.endswith("?"):
        return
    words = len(WORD.findall(text))
    if words > HEADING_WORDS:
        yield 0, "heading", f"{words} words, at most {HEADING_WORDS} {noun}"
    if text.endswith((".", "!", "?", ":", ";")):
        yield 0, "heading", f"ends with '{text[-1]}' {noun}"
    opening = HEADING_OPENING.match(text) or HEADING_VERB.match(text)
    verb = FINITE_VERB.search(text)
    if opening:
        yield 0, "heading", f"opens with '{opening.group()}' {noun}"
    elif verb:
        yield 0, "heading", f"is a sentence: '{verb.group()}' {noun}"


# ---- Function comments ----

ATTRIBUTES = re.compile(r"\[\[[^\]]*\]\]|\balignas\([^)]*\)|\bnoexcept(?:\([^)]*\))?")
NO_FUNCTION = re.compile(
    r"\s*(?:#|(?:class|struct|enum|union|using|namespace|typedef|concept)\b|extern \"C\" \{|[A-Z_]+\()")
FUNCTION = re.compile(r"^[^=;{(]*?\s[&*]*((?:\w+::)*\w+)\s*\((?!\s*\*)")
CONSTRUCTOR = re.compile(r"^\s*(?:(?:inline|explicit|constexpr|virtual|MOBULA_\w+)\s+|explicit\s*\([^)]*\)\s*)*~?\w+\s*\(")
ADVERB = re.compile(r"(?:also|never|only|always|then|not|\w+ly)[, ]+", re.IGNORECASE)
NO_VERB = {"this", "its", "is", "as", "always", "unless", "was", "yes", "less", "these", "those", "us", "plus", "thus",
           "besides", "perhaps", "towards", "afterwards", "has", "whose"}
VERBS = {"called", "invoked", "may", "must"}


def without_angles(text):
    """Returns the declaration without template arguments and parameters."""
    while True:
        shorter = re.sub(r"<[^<>]*>", "", text)
        if shorter == text:
            return text
        text = shorter


def declares_function(declared):
    text = ATTRIBUTES.sub(" ", without_angles(declared.split("\n\n")[0]))
    text = re.sub(r"^\s*template\s*(?:requires\s+[\w:]+(?:\([^)]*\))?)?", " ", text)
    if NO_FUNCTION.match(text) or CONSTRUCTOR.match(text) or "operator" in text.split("(")[0]:
        return False
    return FUNCTION.match(" " + text) is not None


def check_function(passage):
    if passage.declared is None or not declares_function(passage.declared):
        return
    text = ADVERB.sub("", passage.text.strip(), count=1) if ADVERB.match(passage.text) else passage.text.strip()
    first = re.match(r"[A-Za-z-]+(?!:)\b", text)
    word = first.group().lower() if first else text[:1]
    if word in VERBS or (word.endswith("s") and not word.endswith("ss") and word not in NO_VERB):
        return
    shown = "'" + text.split()[0].replace("\x01", "`…`") + "'"
    yield 0, "function", f"the comment opens with {shown} (write instead: a verb, 'Returns …', 'Sends …', 'Removes …')"


# ---- Test names ----

# Suite and name; tests in Python have none of the first.
TESTS = {
    "cpp": re.compile(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE),
    "ts": re.compile(r"^\s*test\([\"'`](\w+)\.(\w+)", re.MULTILINE),
    "py": re.compile(r"^\s*def ()test_(\w+)\(", re.MULTILINE),
}
TEST_OPENING = re.compile(r"(?:(?:Who|What|Of|Whose|Such|By|That)(?=[A-Z0-9_]|$)|(?:who|what|of|whose|such|by|that)(?=_))")


def check_test_names(source, ending):
    """Yields (offset in the source, rule, message)."""
    for match in TESTS[ending].finditer(source):
        suite, name = match.groups()
        shown = f"{suite}.{name}" if suite else f"test_{name}"
        if len(shown) > TEST_NAME_LENGTH:
            yield match.start(1), "test", f"{shown}: {len(shown)} characters, at most {TEST_NAME_LENGTH}"
        opening = TEST_OPENING.match(name)
        if opening:
            yield match.start(1), "test", (f"{shown} opens with '{opening.group()}' "
                                           "(write instead: subject, situation, outcome)")


RULES = ("opening", "words", "value", "sentence", "paragraph", "heading", "function", "test")


def check_passage(passage, path):
    """Yields (offset, rule, message) for all that is wrong in a passage of a file."""
    kind, questions = passage.kind, path.endswith("faq.md")
    yield from check_words(passage)
    if kind == "heading":
        yield from check_heading(passage, questions)
        return
    yield from check_openings(passage, questions)
    yield from check_value_colon(passage)
    if kind in ("public", "doc", "item") or (kind == "comment" and HEADERS.match(path)):
        yield from check_sentences(passage)
    if kind in ("doc", "item"):
        yield from check_paragraph(passage)
    if kind == "public" and path.endswith((".hpp", ".cpp")):
        yield from check_function(passage)
