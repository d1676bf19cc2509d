/// \file Golden test of generated keys, for every distribution and type, and of the zoo. A seed
/// must give the same keys for ever, otherwise generator_version has to be increased.

#include "model/distributions/distribution.hpp"
#include "model/distributions/key_generator.hpp"
#include "model/distributions/key_zoo.hpp"
#include "traces/records/digest.hpp"
#include "traces/testing/recorded_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <iomanip>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

void expect_recorded(std::string const& name, std::ostringstream const& text) {
    keyswap::testing::expect_recorded(std::string(KEYSWAP_RECORDED_KEYS) + "/" + name, text.str());
}

std::string hexadecimal(uint128 word) {
    std::ostringstream text;
    text << "0x" << std::hex;
    auto const [high, low] = key_image(word);
    if (high != 0) {
        text << high << '_';
    }
    text << low;
    return text.str();
}

/// An order-sensitive hash of keys. It begins with a letter, so that the comparison treats it as a
/// word.
class KeyHash {
  public:
    void add(uint128 image) {
        auto const [high, low] = key_image(image);
        hash_ = mix_bits(hash_ + low) + mix_bits(high ^ 0x9e3779b97f4a7c15ULL);
    }
    [[nodiscard]] std::string text() const {
        std::string letters;
        for (int shift = 60; shift >= 0; shift -= 4) {
            letters += static_cast<char>('a' + (hash_ >> shift & 15));
        }
        return letters;
    }

  private:
    std::uint64_t hash_ = 1;
};

std::set<double> some_values(DistributionParameter const& parameter) {
    if (parameter.name.empty()) {
        return {0.0};
    }
    double const middle = parameter.min + (parameter.default_value - parameter.min) / 2;
    return {parameter.default_value,
            parameter.min,
            parameter.whole ? static_cast<int>(middle) : middle,
            parameter.max};
}

/// Key counts: a power of two, and a number without small divisors.
TEST(RecordedKeys, OfEveryDistributionAndTypeAreAsTheyWere) {
    std::ostringstream text;
    for (Distribution const& distribution : distributions()) {
        for (KeyType const type : every_key_type) {
            for (double const value : some_values(distribution.parameter)) {
                text << distribution.name << ' ' << to_string(type);
                KeyRequest request{std::string(distribution.name), std::nullopt, type, 0, 7};
                if (!distribution.parameter.name.empty()) {
                    request.parameter = value;
                    text << ' ' << value;
                }
                for (std::uint64_t const count : {64U, 997U}) {
                    request.key_count = count;
                    auto const generator = KeyGenerator::make(request);
                    if (!generator) {
                        text << ", refused: " << generator.error().problem;
                        continue;
                    }
                    KeyHash hash;
                    for (std::uint64_t i = 0; i < count; ++i) {
                        hash.add(generator->image(i));
                    }
                    text << ", " << count << ": " << hash.text() << ' '
                         << hexadecimal(generator->image(count / 2));
                }
                text << '\n';
            }
        }
    }
    expect_recorded("distributions.txt", text);
}

template <class Key>
uint128 bits_of(Key key) {
    uint128 bits = 0;
    std::memcpy(&bits, &key, sizeof(key));
    return bits;
}

template <class Key>
void add_zoo(std::string const& type, std::ostringstream& text) {
    for (ZooCase<Key> const& one : key_zoo<Key>()) {
        KeyHash hash;
        for (Key const key : one.keys) {
            hash.add(bits_of(key));
        }
        text << type << ' ' << one.name << " (" << one.source << "): " << one.keys.size() << ' '
             << hash.text() << '\n';
    }
}

TEST(RecordedKeys, OfTheZooAreAsTheyWere) {
    std::ostringstream text;
    add_zoo<std::uint32_t>("u32", text);
    add_zoo<std::int32_t>("i32", text);
    add_zoo<float>("f32", text);
    add_zoo<std::uint64_t>("u64", text);
    add_zoo<std::int64_t>("i64", text);
    add_zoo<double>("f64", text);
    expect_recorded("zoo.txt", text);
}

} // namespace
} // namespace keyswap::model
