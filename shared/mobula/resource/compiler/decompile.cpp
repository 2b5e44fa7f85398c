#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/resource/compiler/decompile.hpp>
#include <mobula/resource/compiler/entities_json.hpp>

namespace mobula::resource {
namespace {

class Decompiler {
 public:
  Decompiler(const Resource& file, const Resource& clients, const CompilerTable& compilers)
      : file_(file), clients_(clients), compilers_(compilers), names_(file, clients) {}

  core::Result<std::string> run() {
    out_.open_object();
    if (core::Status good = write_prefabs(); !good) return good.error();
    const TwoViews views{file_.level(), clients_.level(), server_part()};
    const EntityTree tree(views.server, file_, false);
    const ColumnChoice columns = choose_columns(views, tree, names_, file_.schema(), compilers_);
    EntitiesJson entities(views, tree, columns, names_, out_);
    out_.key("entities");
    entities.write_level();
    entities.write_columns();
    if (core::Status good = write_statics(); !good) return good.error();
    write_names();
    out_.close();
    return out_.take();
  }

 private:
  static core::Error invalid(std::string message) { return {"invalid", std::move(message)}; }

  [[nodiscard]] core::ByteView server_part() const { return file_.bytes().subspan(file_.clients_bytes().size()); }

  core::Status write_prefabs() {
    std::vector<std::string_view> names;
    for (const core::StringId32 id : file_.prefab_names()) {
      const std::optional<std::string_view> name = names_.find(id, Audience::server);
      if (!name) return invalid("the name of a prefab is missing");
      names.push_back(*name);
    }
    if (names.empty()) return core::Done{};
    std::ranges::sort(names);
    out_.key("prefabs").open_object();
    for (const std::string_view name : names)
      if (core::Status good = write_prefab(name); !good) return good;
    out_.close();
    return core::Done{};
  }

  core::Status write_prefab(std::string_view name) {
    const core::StringId32 id(name);
    const TwoViews views{*file_.find_prefab(id), *clients_.find_prefab(id), server_part()};
    const EntityTree tree(views.server, file_, true);
    if (tree.top().size() != 1) return invalid(core::format("prefab '{}' has {} roots", name, tree.top().size()));
    const ColumnChoice columns = choose_columns(views, tree, names_, file_.schema(), compilers_);
    out_.key(name);
    EntitiesJson(views, tree, columns, names_, out_).write_prefab(id);
    return core::Done{};
  }

  core::Status write_statics() {
    if (file_.statics().empty()) return core::Done{};
    out_.key("statics").open_list();
    for (const Static& each : file_.statics()) {
      const std::optional<std::string_view> type = names_.find(each.type, Audience::server);
      if (!type) return invalid("the name of a static's type is missing");
      const Audience audience = clients_.find_static(each.id) != nullptr ? Audience::everyone : Audience::server;
      names_.use(each.type, audience);
      out_.open_object();
      out_.key("type").text(*type);
      write_audience(audience);
      out_.key("data").text(core::to_hex(each.data));
      out_.close();
    }
    out_.close();
    return core::Done{};
  }

  // Writes names that registered compilers hashed, or that an override replaced.
  void write_names() {
    const std::vector<NameUses::Unused> unused = names_.unused();
    if (unused.empty()) return;
    out_.key("names").open_list();
    for (const auto& [text, audience] : unused) {
      out_.open_object();
      out_.key("text").text(text);
      write_audience(audience);
      out_.close();
    }
    out_.close();
  }

  void write_audience(Audience audience) {
    if (audience == Audience::server) out_.key("server_only").boolean(true);
  }

  const Resource& file_;
  const Resource& clients_;
  const CompilerTable& compilers_;
  NameUses names_;
  JsonWriter out_;
};

}  // namespace

core::Result<std::string> decompile(const Resource& file, const CompilerTable& compilers) {
  if (!file.complete())
    return core::Error{"incomplete",
                       "this is a client's copy, which lacks what entities are called; expected the whole file"};
  const auto clients = Resource::from_bytes(file.clients_bytes());
  if (!clients) return core::Error{"invalid", "the clients' part alone is refused: " + clients.error().message};
  return Decompiler(file, **clients, compilers).run();
}

}  // namespace mobula::resource
