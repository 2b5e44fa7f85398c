#include <mobula/core/assert.hpp>
#include <mobula/core/format.hpp>
#include <mobula/resource/compiler/json_writer.hpp>

namespace mobula::resource {
namespace {

constexpr std::size_t line_width = 120;
constexpr std::size_t indent = 2;

std::string_view separator(const std::string& text) { return text.empty() ? "" : ", "; }

}  // namespace

void JsonWriter::open(char bracket) {
  open_.push_back({bracket, std::move(key_), {}, 0, false});
  key_.clear();
}

void JsonWriter::add(std::string value) {
  value.insert(0, key_);
  key_.clear();
  if (open_.empty()) {
    root_ = std::move(value);
    return;
  }
  Open& around = open_.back();
  around.width += value.size() + 2;
  around.many_lines |= value.find('\n') != std::string::npos;
  around.items.push_back(std::move(value));
}

void JsonWriter::close() {
  const Open done = std::move(open_.back());
  open_.pop_back();
  const char end = done.bracket == '{' ? '}' : ']';
  const std::size_t outer = indent * open_.size();
  const bool one_line = !done.many_lines && outer + done.key.size() + done.width <= line_width;
  const std::string line_start = one_line ? "" : "\n" + std::string(outer + indent, ' ');
  std::string text;
  for (const std::string& item : done.items) {
    text += one_line ? separator(text) : text.empty() ? "" : ",";
    text += line_start + item;
  }
  if (!one_line && !text.empty()) text += "\n" + std::string(outer, ' ');
  key_ = done.key;
  add(done.bracket + text + end);
}

void JsonWriter::value(const reflect::JsonValue& value) {
  using ValueKind = reflect::JsonValue::Kind;
  switch (value.kind) {
    case ValueKind::null: return literal("null");
    case ValueKind::boolean: return boolean(value.boolean);
    case ValueKind::number: return literal(value.text);
    case ValueKind::string: return text(value.text);
    case ValueKind::array: open_list(); break;
    case ValueKind::object: open_object(); break;
  }
  for (const reflect::JsonValue& item : value.items) this->value(item);
  for (const reflect::JsonMember& member : value.members) {
    key(member.name);
    this->value(member.value);
  }
  close();
}

std::string JsonWriter::take() {
  MOBULA_ASSERT(open_.empty(), "JSON that is not closed");
  return std::move(root_) + '\n';
}

}  // namespace mobula::resource
