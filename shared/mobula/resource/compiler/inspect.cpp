#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/resource/compiler/inspect.hpp>
#include <mobula/resource/compiler/json_writer.hpp>
#include <mobula/resource/draft.hpp>
#include <ranges>
#include <tuple>

namespace mobula::resource {
namespace {

std::string short_hash(const core::ContentHash& hash) { return to_string(hash).substr(0, 16); }

// One level or prefab.
struct Content {
  struct Kind {
    std::size_t entities = 0;
    std::vector<std::string> components;  // sorted
  };
  struct ColumnInfo {
    const Column* column;
    std::string type;
    std::string name;
    std::string_view audience;
  };

  std::string name;  // empty for the level
  std::uint32_t entities = 0;
  std::size_t roots = 0;
  std::uint32_t depth = 0;
  std::vector<Kind> kinds;          // the most frequent first
  std::vector<ColumnInfo> columns;  // by spawn order and name
};

class Inspector {
 public:
  explicit Inspector(const Resource& file) : file_(file) {
    const auto copy = file.complete() ? Resource::from_bytes(file.clients_bytes())
                                      : core::Result<std::shared_ptr<const Resource>>(nullptr);
    if (copy) clients_ = *copy;
  }

  // Returns all contents, the level first.
  [[nodiscard]] std::vector<Content> contents() const {
    std::vector<Content> all{content({}, file_.level(), clients_ ? &clients_->level() : nullptr)};
    for (const core::StringId32 id : file_.prefab_names())
      all.push_back(content(text(id), *file_.find_prefab(id), clients_ ? clients_->find_prefab(id) : nullptr));
    std::ranges::sort(all.begin() + 1, all.end(), {}, &Content::name);
    return all;
  }

  // Returns "" if it is unknown.
  [[nodiscard]] std::string_view audience(const Static& each) const {
    if (clients_ == nullptr) return "";
    return clients_->find_static(each.id) != nullptr ? "everyone" : "server";
  }

  // Returns the text, or the digits of the hash if the file lacks it.
  [[nodiscard]] std::string text(core::StringId32 id) const {
    const std::string_view known = file_.name_of(id);
    return known.empty() ? to_string(id) : std::string(known);
  }

 private:
  [[nodiscard]] std::string title(const ComponentKey& key) const {
    return key.type == key.instance ? text(key.type) : core::format("{} ({})", text(key.instance), text(key.type));
  }

  [[nodiscard]] static std::string_view audience(const Column& column, const EntityResource* clients) {
    if (clients == nullptr) return "";
    const auto theirs = std::ranges::find(clients->columns, column.key, &Column::key);
    if (theirs == clients->columns.end()) return "server";
    return same_instances(*theirs, column) ? "everyone" : "differs";
  }

  [[nodiscard]] Content content(std::string name, const EntityResource& view, const EntityResource* clients) const {
    Content content;
    content.name = std::move(name);
    content.entities = view.num_entities;
    std::vector<std::uint32_t> depth(view.num_entities, 1);
    for (std::uint32_t i = 0; i < view.num_entities; ++i) {
      const std::uint32_t parent = view.parent_index[i];
      if (parent == no_parent) ++content.roots;
      if (parent != no_parent) depth[i] = depth[parent] + 1;
      content.depth = std::max(content.depth, depth[i]);
    }
    content.kinds = kinds(view);
    for (const Column& column : view.columns)
      content.columns.push_back({&column, text(column.key.type), text(column.key.instance), audience(column, clients)});
    std::ranges::sort(content.columns, [](const Content::ColumnInfo& a, const Content::ColumnInfo& b) {
      return std::tie(a.column->spawn_order, a.name, a.type) < std::tie(b.column->spawn_order, b.name, b.type);
    });
    return content;
  }

  [[nodiscard]] std::vector<Content::Kind> kinds(const EntityResource& view) const {
    std::vector<Content::Kind> kinds(view.prototypes.size());
    for (const std::uint32_t prototype : view.prototype_of) ++kinds[prototype].entities;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      for (const ComponentKey& key : view.prototypes[i]) kinds[i].components.push_back(title(key));
      std::ranges::sort(kinds[i].components);
    }
    std::ranges::sort(kinds, [](const Content::Kind& a, const Content::Kind& b) {
      return a.entities != b.entities ? a.entities > b.entities : a.components < b.components;
    });
    return kinds;
  }

  const Resource& file_;
  std::shared_ptr<const Resource> clients_;  // null for a client's copy, or if clients would refuse theirs
};

// Table of text cells with a head row. Numbers are aligned right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  // Returns nothing if there is only the head.
  [[nodiscard]] std::string text() const {
    if (rows_.size() == 1) return "";
    std::vector<std::size_t> widths(rows_[0].size());
    for (const std::vector<std::string>& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text = "\n";
    for (const std::vector<std::string>& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i)
        line += is_number(rows_[1][i]) ? core::format("  {:>{}}", row[i], widths[i])
                                       : core::format("  {:<{}}", row[i], widths[i]);
      text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
  }

 private:
  static bool is_number(const std::string& cell) {
    return cell.find_first_not_of("-0123456789") == std::string::npos && !cell.empty();
  }

  std::vector<std::vector<std::string>> rows_;
};

template <class... Cells>
std::vector<std::string> row(const Cells&... cells) {
  return {core::format("{}", cells)...};
}

using core::counted;

std::string table_of(const Content& content) {
  std::string text = core::format("\n{}: {}, {}, {} deep\n", content.name.empty() ? "level" : "prefab " + content.name,
                                  counted(content.entities, "entity", "entities"),
                                  counted(content.roots, "root", "roots"), counted(content.depth, "level", "levels"));
  Table kinds(row("entities", "components"));
  for (const Content::Kind& kind : content.kinds)
    kinds.add(
        row(kind.entities, kind.components.empty() ? "none" : core::format("{}", fmt::join(kind.components, ", "))));
  Table columns(row("column", "type", "instances", "bytes", "references", "spawn order", "for"));
  for (const auto& [column, type, name, audience] : content.columns)
    columns.add(row(name, type, column->num_instances, column->data.size(), column->references.size(),
                    column->spawn_order, audience));
  return text + kinds.text() + columns.text();
}

std::string id_text(const Static& each) { return core::format("{:016x}", each.id); }

void write_column(const Content::ColumnInfo& info, JsonWriter& out) {
  out.open_object();
  out.key("type").text(info.type);
  out.key("name").text(info.name);
  out.key("instances").number(info.column->num_instances);
  out.key("bytes").number(info.column->data.size());
  out.key("references").number(info.column->references.size());
  out.key("spawn_order").literal(std::to_string(info.column->spawn_order));
  if (!info.audience.empty()) out.key("for").text(info.audience);
  out.close();
}

void write_content(const Content& content, JsonWriter& out) {
  out.open_object();
  if (!content.name.empty()) out.key("name").text(content.name);
  out.key("entities").number(content.entities);
  out.key("roots").number(content.roots);
  out.key("depth").number(content.depth);
  out.key("prototypes").open_list();
  for (const Content::Kind& kind : content.kinds) {
    out.open_object();
    out.key("entities").number(kind.entities);
    out.key("components").open_list();
    for (const std::string& component : kind.components) out.text(component);
    out.close();
    out.close();
  }
  out.close();
  out.key("columns").open_list();
  for (const Content::ColumnInfo& column : content.columns) write_column(column, out);
  out.close();
  out.close();
}

void write_part(const core::ContentHash& identity, std::size_t bytes, JsonWriter& out) {
  out.open_object();
  out.key("identity").text(to_string(identity));
  out.key("bytes").number(bytes);
  out.close();
}

}  // namespace

std::string inspect_table(const Resource& file, std::string_view name) {
  const Inspector inspector(file);
  const std::size_t clients = file.clients_bytes().size();
  std::string text = core::format("{}: format {}, {} bytes, {}\n", name, format_version, file.bytes().size(),
                                  file.complete() ? "a whole file" : "a client's copy");
  text += core::format("  clients' part  {}  {} bytes\n", short_hash(file.identity()), clients);
  if (file.complete())
    text += core::format("  server's part  {}  {} bytes\n", short_hash(file.server_identity()),
                         file.bytes().size() - clients);
  text += core::format("  schema         {}  {}\n", short_hash(file.schema().fingerprint()),
                       counted(file.schema().components().size(), "component", "components"));
  text += core::format("  {}, {}\n", counted(file.names().size(), "name", "names"),
                       counted(file.statics().size(), "static", "statics"));
  for (const Content& content : inspector.contents()) text += table_of(content);
  Table statics(row("static", "type", "bytes", "for"));
  for (const Static& each : file.statics())
    statics.add(row(id_text(each), inspector.text(each.type), each.data.size(), inspector.audience(each)));
  return text + statics.text();
}

std::string inspect_json(const Resource& file, std::string_view name) {
  const Inspector inspector(file);
  const std::vector<Content> contents = inspector.contents();
  JsonWriter out;
  out.open_object();
  out.key("file").text(name);
  out.key("format").number(format_version);
  out.key("clients");
  write_part(file.identity(), file.clients_bytes().size(), out);
  out.key("server");
  file.complete() ? write_part(file.server_identity(), file.bytes().size() - file.clients_bytes().size(), out)
                  : out.literal("null");
  out.key("schema").text(to_string(file.schema().fingerprint()));
  out.key("names").number(file.names().size());
  out.key("level");
  write_content(contents.front(), out);
  out.key("prefabs").open_list();
  for (const Content& prefab : contents | std::views::drop(1)) write_content(prefab, out);
  out.close();
  out.key("statics").open_list();
  for (const Static& each : file.statics()) {
    out.open_object();
    out.key("id").text(id_text(each));
    out.key("type").text(inspector.text(each.type));
    out.key("bytes").number(each.data.size());
    if (const std::string_view audience = inspector.audience(each); !audience.empty()) out.key("for").text(audience);
    out.close();
  }
  out.close();
  out.close();
  return out.take();
}

}  // namespace mobula::resource
