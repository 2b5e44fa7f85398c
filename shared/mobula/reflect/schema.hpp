// Schema at run time, read from FlatBuffers' binary reflection (.bfbs). It describes schema components to compiler,
// codec, properties, saves, and clients without compiled-in types. Immutable once loaded. The bytes are not trusted.
#pragma once

#include <cstdint>
#include <memory>
#include <mobula/core/bytes.hpp>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <mobula/core/string_id.hpp>
#include <mobula/ecs/registry.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::reflect {

/// Limits of a schema, which may come from a hostile peer.
struct Limits {
  static constexpr std::size_t schema_bytes = 256 * 1024;
  static constexpr std::uint32_t verifier_depth = 16;  // depth of tables in the .bfbs
  static constexpr std::uint32_t types = 1024;         // structs and tables; the same for enums
  static constexpr std::uint32_t depth = 8;            // nesting of structs
  static constexpr std::uint32_t components = 512;
  static constexpr std::uint32_t component_bytes = 4096;
  static constexpr std::uint32_t fields = 256;  // per struct, and per component after flattening
  static constexpr std::uint32_t enum_values = 256;
  static constexpr std::uint32_t attributes = 32;  // per struct or field
  static constexpr std::size_t name_bytes = 64;
  static constexpr std::size_t full_name_bytes = 256;  // with namespaces; also a field's path
  static constexpr std::size_t attribute_bytes = 256;
};

/// Kind of a leaf field.
enum class FieldKind : std::uint8_t {
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64,
  unit_quaternion,  // struct of four floats x, y, z, w
  entity,           // struct of two uints: index, generation
  fixed_string,     // bytes, UTF-8, zero-filled after the text
  string_id,        // uint: StringId32 of a name; written as the name
};
inline constexpr std::size_t field_kind_count = 15;

constexpr bool is_integer(FieldKind kind) { return kind >= FieldKind::int8 && kind <= FieldKind::uint64; }
constexpr bool is_float(FieldKind kind) { return kind == FieldKind::float32 || kind == FieldKind::float64; }
/// Returns whether an integer kind can hold the value. A uint64 is passed as the int64 of its bits, so all fit.
bool integer_fits(std::int64_t value, FieldKind kind);

/// A named value of an enum.
struct EnumValue {
  std::string name;
  std::int64_t value;  // bits of a uint64
};

/// Field that holds the velocity of another one, per second. For a rotation it is the first of three, in radians.
struct VelocityField {
  std::string path;            // "Body.velocity.x"; empty if a field has no velocity
  std::uint32_t named_at = 0;  // length of the path of the field that has the attribute
  core::StringId32 component;
  std::uint32_t offset = 0;
  FieldKind kind{};  // a float
};

/// Leaf of a component: a value at an offset. Nested structs are flattened, so that a Transform has the fields
/// position.x, position.y, position.z and rotation.
struct Field {
  std::string path;  // "position.x"
  FieldKind kind{};
  std::uint32_t offset = 0;            // bytes from the component's start; of element 0 in arrays
  std::uint32_t size = 0;              // bytes of one value
  std::uint32_t count = 1;             // elements; more than 1 for a fixed array
  std::uint32_t stride = 0;            // bytes between elements
  std::uint32_t array_at = 0;          // arrays: length of the repeated part of the path, "several" in several.weight
  std::int32_t count_field = -1;       // bounded arrays: the field that holds the number of used elements
  std::vector<EnumValue> enum_values;  // by value; empty if not an enum

  // Quantisation: a value is sent as q in [0, steps], in `bits` bits; bits == 0 sends the value itself.
  // - Floats: value = low + q * step (quantise.hpp).
  // - Integers: value = low + q. Enums: position in enum_values.
  // - Quaternions: bits of each of the smallest three.
  // A field that counts an array is ranged from 0 to the array's length.
  bool ranged = false;
  double low = 0;
  double high = 0;
  double step = 0;
  std::uint64_t steps = 0;
  std::uint32_t bits = 0;

  bool smallest_three = false;  // one of the four integers of a rotation: the omitted component, then the others
  // Dead reckoning (wire/course.hpp): difference from the true value at which a new course is sent; 0 if each value is.
  double tolerance = 0;
  VelocityField velocity;  // used by the server alone, with a tolerance
  bool cut = false;        // clients blend no value of the entity across a change of it
  bool owner_only = false;
  bool predicted = false;
  bool not_sent = false;
  bool not_saved = false;
  bool read_only = false;
};

/// A component type of a schema.
struct Component {
  std::string name;
  core::StringId32 id;
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;
  std::vector<Field> fields;  // by offset
  core::Bytes default_value;  // `size` bytes
  bool not_sent = false;      // not sent to clients, nor part of their prototypes
  bool not_saved = false;
  std::uint32_t sent_bits_max = 0;  // sent_size.hpp

  /// Returns a field by its path, such as "position.x"; null if there is none.
  [[nodiscard]] const Field* find_field(std::string_view path) const;
};

class Schema {
 public:
  /// Loads a schema. The bytes are copied. Errors: "bad schema", with place and cause.
  static core::Result<std::shared_ptr<const Schema>> load(core::ByteView bfbs);

  /// Returns the bytes that were loaded.
  [[nodiscard]] core::ByteView bytes() const { return bytes_; }
  /// Returns the BLAKE2b hash of the bytes.
  [[nodiscard]] const core::ContentHash& fingerprint() const { return fingerprint_; }
  /// Returns all components, sorted by name.
  [[nodiscard]] const std::vector<Component>& components() const { return components_; }
  /// Returns a component by id or name; null if there is none.
  [[nodiscard]] const Component* find(core::StringId32 id) const;
  [[nodiscard]] const Component* find(std::string_view name) const;

 private:
  Schema() = default;

  core::Bytes bytes_;
  core::ContentHash fingerprint_;
  std::vector<Component> components_;
};

/// Registers every component type of the schema and opens its default pool.
core::Status register_components(ecs::Registry& registry, const Schema& schema);

}  // namespace mobula::reflect
