#include <c/written.hpp>
#include <limits>
#include <mobula/core/format.hpp>

namespace mobula::c {
namespace {

constexpr std::uint32_t struct_bytes_max = 4096;

mobula_result too_small(std::size_t wanted, std::uint32_t capacity) {
  return fail(MOBULA_ERROR_BUFFER_TOO_SMALL, core::format("the buffer holds {}; {} are needed", capacity, wanted));
}

}  // namespace

mobula_result check_array(bool has_items, std::uint32_t capacity, const std::uint32_t* count) {
  if (count == nullptr) return refuse_null("the count");
  if (!has_items && capacity > 0) return refuse_null("an array with a capacity");
  return MOBULA_OK;
}

mobula_result end_array(std::size_t wanted, std::uint32_t capacity, std::uint32_t* count) {
  *count = static_cast<std::uint32_t>(std::min<std::size_t>(wanted, std::numeric_limits<std::uint32_t>::max()));
  return wanted > capacity ? too_small(wanted, capacity) : MOBULA_OK;
}

std::string_view fitting_text(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

bool copy_text(std::string_view text, const TextOut& out) {
  *out.length =
      static_cast<std::uint32_t>(std::min<std::size_t>(text.size(), std::numeric_limits<std::uint32_t>::max()));
  if (out.capacity == 0) return false;
  const std::string_view fitting = fitting_text(text, out.capacity - 1);
  std::memcpy(out.text, fitting.data(), fitting.size());
  out.text[fitting.size()] = '\0';
  return fitting.size() == text.size();
}

mobula_result write_text(std::string_view text, const TextOut& out) {
  if (const mobula_result checked = check_array(out.text != nullptr, out.capacity, out.length); checked != MOBULA_OK)
    return checked;
  return copy_text(text, out) ? MOBULA_OK : too_small(text.size() + 1, out.capacity);
}

mobula_result check_struct(const std::uint32_t* struct_size, std::size_t bytes_min) {
  if (struct_size == nullptr) return refuse_null("the struct");
  if (*struct_size >= bytes_min && *struct_size <= struct_bytes_max) return MOBULA_OK;
  return fail(MOBULA_ERROR_INVALID_ARGUMENT,
              core::format("struct_size is {}; set it to sizeof of the struct", *struct_size));
}

}  // namespace mobula::c
