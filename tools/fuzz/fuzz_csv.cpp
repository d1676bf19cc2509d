#include "model/key_files/csv_reader.hpp"
#include "model/key_files/key_file.hpp"
#include "model/keys/key_text.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using namespace keyswap;
using namespace keyswap::model;

/// A key survives a round trip through its own text, except for NaNs.
void check_round_trip(KeyType type, std::span<std::byte const> key) {
    std::string const text = key_text(type, key);
    std::array<std::byte, sizeof(std::uint64_t)> bytes{};
    std::span<std::byte> const again = std::span(bytes).first(key.size());
    bool const nan = text.find("nan") != std::string::npos;
    if (!parse_key(text, type, again) ||
        (!nan && std::memcmp(again.data(), key.data(), key.size()) != 0)) {
        std::abort();
    }
}

} // namespace

/// First byte: key type.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    constexpr std::array types{
        KeyType::u32, KeyType::u64, KeyType::i32, KeyType::i64, KeyType::f32, KeyType::f64};
    if (size == 0) {
        return 0;
    }
    KeyType const type = types[data[0] % types.size()];
    auto const reader =
        make_csv_reader(bytes_of(std::string(reinterpret_cast<char const*>(data) + 1, size - 1)),
                        "fuzz",
                        {std::nullopt, type});
    std::array<std::byte, 64> block{};
    std::size_t const key_size = key_size_bytes(type);
    while (true) {
        auto const count = reader->read(block);
        if (!count && count.error().subject.find("fuzz") != 0) {
            std::abort();
        }
        if (!count || *count == 0) {
            return 0;
        }
        for (std::size_t i = 0; i < *count; ++i) {
            check_round_trip(type, std::span(block).subspan(i * key_size, key_size));
        }
    }
}
