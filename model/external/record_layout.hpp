#pragma once

/// \file Input of an external sort: records of fixed width, each with a key at a fixed offset. A
/// file of keys is the special case without other bytes.

#include "model/keys/key_order.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/digest.hpp"
#include "traces/records/key_type.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace keyswap::model {

struct RecordLayout {
    std::uint32_t record_bytes = 8;
    std::uint32_t key_offset = 0;
    std::uint32_t key_bytes = 8; ///< width of the type; for bytes, 1 to key_bytes_max
    /// b128: key_bytes bytes in memcmp order. Other types: little-endian numbers.
    KeyType key_type = KeyType::u64;
    Direction direction = Direction::ascending;

    static constexpr std::uint32_t key_bytes_max = 16; ///< width of an image

    [[nodiscard]] bool is_bytes() const { return kind_of(key_type) == KeyKind::bytes; }
    /// True if a record is a key that sorts can process without conversion.
    [[nodiscard]] bool is_plain_key() const { return !is_bytes() && record_bytes == key_bytes; }
    [[nodiscard]] int image_bits() const { return 8 * static_cast<int>(key_bytes); }
    friend bool operator==(RecordLayout const&, RecordLayout const&) = default;
};

/// The layout of a file of keys.
[[nodiscard]] RecordLayout layout_of_keys(KeyType type, Direction direction);

/// \param key "OFFSET:BYTES", for instance "0:10" \param type of the key; nullopt: bytes
[[nodiscard]] Expected<RecordLayout>
parse_record_layout(std::uint64_t record_bytes,
                    std::string_view key,
                    Direction direction,
                    std::optional<KeyType> type = std::nullopt);

/// "100-byte records by bytes 0 to 9", "16-byte records by u64 in bytes 0 to 7" or "u64 keys".
[[nodiscard]] std::string to_string(RecordLayout const& layout);

/// Calls `function` with a function that maps a record's first byte to its key's order-preserving
/// image: a std::uint64_t, or a uint128 for wider keys.
template <class Function>
decltype(auto) with_image_reader(RecordLayout const& layout, Function&& function) {
    std::uint32_t const offset = layout.key_offset;
    if (!layout.is_bytes()) {
        return with_key_type(layout.key_type, [&]<class K>(K) {
            return function([offset, direction = layout.direction](std::byte const* record) {
                K key{};
                std::memcpy(&key, record + offset, sizeof key);
                return static_cast<SearchWord<ImageOf<K>>>(image_of(key, direction));
            });
        });
    }
    std::uint32_t const size = layout.key_bytes;
    std::uint64_t const flip = layout.direction == Direction::ascending ? 0 : ~std::uint64_t{0};
    constexpr std::uint32_t word_bytes = sizeof(std::uint64_t);
    if (size < word_bytes) {
        std::uint64_t const flipped = flip >> (64 - layout.image_bits());
        return function([offset, size, flipped](std::byte const* record) {
            std::uint64_t image = 0;
            for (std::uint32_t i = 0; i < size; ++i) {
                image = image << 8 | static_cast<std::uint8_t>(record[offset + i]);
            }
            return image ^ flipped;
        });
    }
    auto const word_at = [](std::byte const* bytes) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, sizeof word);
        return __builtin_bswap64(word);
    };
    if (size == word_bytes) {
        return function([=](std::byte const* record) { return word_at(record + offset) ^ flip; });
    }
    // Combine the first and the last eight bytes, which may overlap.
    std::uint32_t const last = offset + size - word_bytes;
    std::uint32_t const shift = 8 * (size - word_bytes);
    uint128 const flipped =
        (uint128{flip} << 64 | flip) & largest_image_of_bits(layout.image_bits());
    return function([=](std::byte const* record) {
        return ((uint128{word_at(record + offset)} << shift) | word_at(record + last)) ^ flipped;
    });
}

/// Order-independent digest of whole records. \pre records.size() is a multiple of record_bytes
[[nodiscard]] MultisetDigest digest_of_records(RecordLayout const& layout,
                                               std::span<std::byte const> records);

} // namespace keyswap::model
