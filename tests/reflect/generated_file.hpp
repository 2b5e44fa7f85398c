// Generated code, compared with files of the tree.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <mobula/core/result.hpp>
#include <string>

namespace mobula::test {

inline std::string file_text(const std::string& path) {
  std::ifstream file(MOBULA_SOURCE_DIR "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Compares with a file of the tree.
inline void expect_is_file(const core::Result<std::string>& code, const std::string& path) {
  ASSERT_TRUE(code.ok()) << code.error().message;
  const std::string expected = file_text(path);
  const auto differs = std::ranges::mismatch(*code, expected);
  EXPECT_TRUE(*code == expected) << path << " differs from byte " << differs.in1 - code->begin() << " on: ..."
                                 << std::string(differs.in1, std::min(differs.in1 + 200, code->end()));
}

}  // namespace mobula::test
