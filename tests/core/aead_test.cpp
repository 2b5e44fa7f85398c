#include <gtest/gtest.h>

#include <mobula/core/aead.hpp>
#include <mobula/core/hex.hpp>
#include <string_view>

namespace mobula::core {
namespace {

template <class T>
T from_text(std::string_view hex) {
  return load<T>(from_hex(hex)->data());
}

Bytes with_room(std::string_view plain) {
  const ByteView view = as_bytes(plain.data(), plain.size());
  Bytes bytes(view.begin(), view.end());
  bytes.resize(bytes.size() + seal_bytes);
  return bytes;
}

// RFC 8439, appendix A.5: the only vector whose nonce begins with four zeros.
TEST(Aead, SealsLikeRfc8439) {
  const auto key = from_text<SecretKey>("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0");
  const Bytes associated = *from_hex("f33388860000000000004e91");
  constexpr std::string_view plain =
      "Internet-Drafts are draft documents valid for a maximum of six months and may be updated, replaced, or "
      "obsoleted "
      "by other documents at any time. It is inappropriate to use Internet-Drafts as reference material or to cite "
      "them "
      "other than as /\xe2\x80\x9cwork in progress./\xe2\x80\x9d";
  Bytes bytes = with_room(plain);
  seal(bytes, associated, 0x0807060504030201, key);
  EXPECT_EQ(to_hex(ByteView(bytes).first(20)), "64a0861575861af460f062c79be643bd5e805cfd");
  EXPECT_EQ(to_hex(ByteView(bytes).last(seal_bytes)), "eead9d67890cbb22392336fea1851f38");
  ASSERT_TRUE(open(bytes, associated, 0x0807060504030201, key, bytes));
  EXPECT_EQ(ByteView(bytes).first(plain.size()).size(), plain.size());
  EXPECT_EQ(std::memcmp(bytes.data(), plain.data(), plain.size()), 0);
}

// draft-irtf-cfrg-xchacha, appendix A.3.1.
TEST(Aead, SealsLikeTheXChaChaDraft) {
  const auto key = from_text<SecretKey>("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
  const auto nonce = from_text<WideNonce>("404142434445464748494a4b4c4d4e4f5051525354555657");
  const Bytes associated = *from_hex("50515253c0c1c2c3c4c5c6c7");
  constexpr std::string_view plain =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be "
      "it.";
  Bytes bytes = with_room(plain);
  seal(bytes, associated, nonce, key);
  EXPECT_EQ(to_hex(ByteView(bytes).first(16)), "bd6d179d3e83d43b9576579493c0e939");
  EXPECT_EQ(to_hex(ByteView(bytes).last(seal_bytes)), "c0875924c1c7987947deafd8780acf49");
  Bytes opened(plain.size());
  ASSERT_TRUE(open(bytes, associated, nonce, key, opened));
  EXPECT_EQ(std::memcmp(opened.data(), plain.data(), plain.size()), 0);
}

TEST(Aead, RefusesAnyFlippedBit) {
  SecretKey key{};
  key[5] = std::byte{9};
  Bytes associated(3, std::byte{7});
  Bytes sealed = with_room("something");
  seal(sealed, associated, 42, key);
  Bytes plain(9);
  const auto opens = [&] { return open(sealed, associated, 42, key, plain); };
  const auto all_bits_count = [&](MutableBytes bytes) {
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
      EXPECT_FALSE(opens()) << bit;
      bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    }
  };
  ASSERT_TRUE(opens());
  all_bits_count(sealed);
  all_bits_count(associated);
  all_bits_count(key);
  EXPECT_FALSE(open(sealed, associated, 43, key, plain));
  for (std::size_t size = 0; size < sealed.size(); ++size) {
    EXPECT_FALSE(open(ByteView(sealed).first(size), associated, 42, key, plain)) << size;
  }
}

TEST(Aead, ForgedBytesLeaveNoPlainText) {
  const SecretKey key{};
  Bytes sealed = with_room("a secret");
  seal(sealed, {}, 1, key);
  sealed.back() ^= std::byte{1};
  Bytes plain(8, std::byte{0x55});
  ASSERT_FALSE(open(sealed, {}, 1, key, plain));
  EXPECT_NE(std::memcmp(plain.data(), "a secret", 8), 0);
}

TEST(Aead, EmptyInputIsSealedToATag) {
  const SecretKey key{};
  Bytes tag(seal_bytes);
  seal(tag, {}, 7, key);
  EXPECT_TRUE(open(tag, {}, 7, key, {}));
  EXPECT_FALSE(open(tag, {}, 8, key, {}));
}

TEST(Aead, WipedIsZero) {
  SecretKey key;
  key.fill(std::byte{1});
  wipe(key);
  EXPECT_EQ(key, SecretKey{});
}

}  // namespace
}  // namespace mobula::core
