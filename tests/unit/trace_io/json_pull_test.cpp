#include "trace_io/io/json_pull.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/sanitized.hpp"
#include "tests/support/scratch_files.hpp"

namespace echo::trace_io {
namespace {

nlohmann::json tree_of(JsonPull& json) {
  switch (json.peek()) {
    case JsonPull::Kind::object: {
      nlohmann::json out = nlohmann::json::object();
      json.object([&](std::string_view key) {
        const std::string name(key);
        out[name] = tree_of(json);
      });
      return out;
    }
    case JsonPull::Kind::array: {
      nlohmann::json out = nlohmann::json::array();
      json.array([&] { out.push_back(tree_of(json)); });
      return out;
    }
    case JsonPull::Kind::string:
      return std::string(json.string());
    case JsonPull::Kind::number:
      return json.real();
    case JsonPull::Kind::boolean:
      return json.boolean();
    default:
      json.skip();
      return nullptr;
  }
}

class RandomTree {
 public:
  explicit RandomTree(std::uint64_t seed) : engine_(seed) {}
  nlohmann::json draw(int depth) {
    switch (up_to(depth > 0 ? 6 : 4)) {
      case 0:
        return static_cast<double>(up_to(1 << 30)) / 64.0;
      case 1:
        return up_to(1) == 1;
      case 2:
        return nullptr;
      case 3:
      case 4:
        return text();
      case 5: {
        nlohmann::json out = nlohmann::json::array();
        for (int i = up_to(5); i > 0; --i) out.push_back(draw(depth - 1));
        return out;
      }
      default: {
        nlohmann::json out = nlohmann::json::object();
        for (int i = up_to(5); i > 0; --i) out[text()] = draw(depth - 1);
        return out;
      }
    }
  }

 private:
  int up_to(int most) { return std::uniform_int_distribution<int>(0, most)(engine_); }
  std::string text() {
    const std::string parts[] = {"a", "\"", "\\",  "\n", "/", "\x01", "\xC3\xBC", "\xF0\x9F\x98\x80",
                                 "{", "]",  " ts "};
    std::string out;
    for (int i = up_to(8); i > 0; --i) out += parts[up_to(10)];
    return out;
  }
  std::mt19937_64 engine_;
};

TEST(JsonPull, ReadsWhatATreeReaderReads) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const nlohmann::json tree = RandomTree(seed).draw(5);
    for (const std::string& text : {tree.dump(), tree.dump(2), tree.dump(-1, ' ', true)}) {
      JsonPull json(text);
      EXPECT_EQ(tree_of(json), tree) << "seed " << seed;
      EXPECT_NO_THROW(json.finish());
      JsonPull again(text);
      again.skip();
      EXPECT_NO_THROW(again.finish()) << "seed " << seed;
    }
  }
}

TEST(JsonPull, BlocksMayEndAnywhere) {
  const echo::testing::ScratchFiles files;
  nlohmann::json tree = nlohmann::json::array();
  RandomTree random(7);
  while (tree.dump().size() < 700'000)
    for (int i = 0; i < 200; ++i) tree.push_back(random.draw(3));
  for (int shift = 0; shift < support::trials(40); ++shift) {
    ByteSource source(files.write("t.json", std::string(static_cast<std::size_t>(shift), ' ') + tree.dump()));
    JsonPull json(source);
    EXPECT_EQ(tree_of(json), tree) << "shift " << shift;
    json.finish();
  }
}

TEST(JsonPull, AFaultSaysAtWhichByte) {
  const std::map<std::string, std::int64_t> faults{
      {"[1, 2", 5}, {"{\"a\" 1}", 5}, {"{\"a\": tru}", 9}, {"[1 2]", 3},         {"\"abc", 4},
      {"", 0},      {"{1: 2}", 1},    {"[}", 1},           {"[\"\\u12x4\"]", 6}, {"nul", 3}};
  for (const auto& [text, offset] : faults) {
    try {
      JsonPull json(text);
      static_cast<void>(tree_of(json));
      json.finish();
      FAIL() << text;
    } catch (const JsonFault& fault) {
      EXPECT_EQ(fault.offset(), offset) << text << ": " << fault.what();
    }
  }
}

TEST(JsonPull, DeepNestingIsRefusedOrSkipped) {
  const std::string text(100'000, '[');
  JsonPull json(text);
  EXPECT_THROW(static_cast<void>(tree_of(json)), JsonFault);
  const std::string closed = text + std::string(100'000, ']');
  JsonPull again(closed);
  EXPECT_NO_THROW(again.skip());
}

TEST(JsonPull, WholeNumbersAreExact) {
  JsonPull json("[9223372036854775807, -3, 7.0, 1e3]");
  std::vector<std::int64_t> out;
  json.array([&] { out.push_back(json.integer()); });
  EXPECT_EQ(out, (std::vector<std::int64_t>{9223372036854775807, -3, 7, 1000}));
  for (const char* text : {"1.5", "9223372036854775808", "1e300", "NaN", "-", "1x"}) {
    JsonPull bad(text);
    EXPECT_THROW(static_cast<void>(bad.integer()), JsonFault) << text;
  }
}

TEST(JsonPull, CarelessWritersAreUnderstood) {
  JsonPull json("{\"a\": NaN, \"b\": [nan, -Infinity,], \"c\": \"\\d \t\"}");
  std::string text;
  json.object([&](std::string_view key) {
    if (key == "c")
      text = json.string();
    else
      json.skip();
  });
  EXPECT_EQ(text, "d \t");
}

}  // namespace
}  // namespace echo::trace_io
