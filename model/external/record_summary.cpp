#include "model/external/record_summary.hpp"

#include <zlib.h>

#include <algorithm>
#include <string_view>

namespace keyswap::model {

RecordSummary::RecordSummary(RecordLayout const& layout) : layout_(layout) {}

void RecordSummary::add(std::span<std::byte const> records) {
    std::uint64_t index = digest_.count;
    with_image_reader(layout_, [&](auto const& read) {
        for (std::size_t at = 0; at < records.size(); at += layout_.record_bytes, ++index) {
            std::byte const* const record = records.data() + at;
            uint128 const image = read(record);
            if (last_image_ && image < *last_image_) {
                ++unsorted_count_;
                first_unsorted_ = first_unsorted_.value_or(index);
            }
            duplicate_keys_ += last_image_ == image ? 1 : 0;
            last_image_ = image;
            checksum_ += ::crc32_z(0, reinterpret_cast<Bytef const*>(record), layout_.record_bytes);
        }
    });
    digest_ += digest_of_records(layout_, records);
}

void make_records(RecordLayout const& layout,
                  std::uint64_t seed,
                  std::uint64_t first,
                  std::span<std::byte> records) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    constexpr std::uint32_t index_digits = 16;
    std::uint64_t const stream = mix_bits(seed ^ 0x6b657973776170ULL); // "keyswap"
    for (std::size_t at = 0; at < records.size(); at += layout.record_bytes, ++first) {
        auto const record = records.subspan(at, layout.record_bytes);
        std::uint64_t const own = mix_bits(stream + first);
        for (std::uint32_t i = 0; i < layout.record_bytes; ++i) {
            bool const in_key = i >= layout.key_offset && i - layout.key_offset < layout.key_bytes;
            std::uint32_t const shift = 8 * (i % 8);
            std::uint64_t const random = mix_bits(own + i / 8 + 1) >> shift;
            std::uint64_t const digit =
                i < index_digits ? first >> (4 * (index_digits - 1 - i)) : 0;
            record[i] = in_key             ? static_cast<std::byte>(random)
                        : i < index_digits ? static_cast<std::byte>(digits[digit % 16])
                                           : static_cast<std::byte>('A' + (first + i / 4) % 26);
        }
    }
}

} // namespace keyswap::model
