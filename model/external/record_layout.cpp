#include "model/external/record_layout.hpp"

#include "traces/errors/error_subject.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/records/sequence_digest.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>

// The digests of keys are compiled for several instruction sets; the best one is selected at
// start-up. 8-byte keys on an EPYC: 5.2 ns per key, 3.5 with AVX2, 1.1 with the 64-bit products of
// AVX-512.
#if defined(__x86_64__) && __GNUC__ >= 12 && !defined(__clang__) &&                                \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KEYSWAP_DIGEST_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define KEYSWAP_DIGEST_CLONES
#endif

namespace keyswap::model {

namespace {

constexpr std::uint64_t record_bytes_max = std::uint64_t{1} << 20;

/// Chains 16-byte pieces of the record; the last piece is padded with zeros.
/// \param size of the record: a compile-time constant where possible
template <class Size>
[[gnu::always_inline]] inline MultisetDigest digest_of_record(std::byte const* record, Size size) {
    MultisetDigest digest;
    for (std::size_t first = 0; first < size; first += sizeof(KeyImage)) {
        KeyImage piece;
        std::memcpy(&piece, record + first, std::min<std::size_t>(sizeof piece, size - first));
        piece.high ^= digest.high;
        digest = digest_of_wide(piece, digest.low);
    }
    return digest;
}

template <class Size>
[[gnu::always_inline]] inline MultisetDigest sum_of_digests(std::span<std::byte const> records,
                                                            Size size) {
    MultisetDigest sum{records.size() / size, 0, 0};
    for (std::size_t i = 0; i < sum.count; ++i) {
        MultisetDigest const digest = digest_of_record(records.data() + i * size, size);
        sum.low += digest.low;
        sum.high += digest.high;
    }
    return sum;
}

KEYSWAP_DIGEST_CLONES MultisetDigest digest_of_words(std::span<std::byte const> keys) {
    return sum_of_digests(keys, std::integral_constant<std::size_t, 8>{});
}

KEYSWAP_DIGEST_CLONES MultisetDigest digest_of_half_words(std::span<std::byte const> keys) {
    return sum_of_digests(keys, std::integral_constant<std::size_t, 4>{});
}

KEYSWAP_DIGEST_CLONES MultisetDigest digest_of_two_words(std::span<std::byte const> records) {
    return sum_of_digests(records, std::integral_constant<std::size_t, 16>{});
}

} // namespace

RecordLayout layout_of_keys(KeyType type, Direction direction) {
    auto const size = static_cast<std::uint32_t>(key_size_bytes(type));
    return {size, 0, size, type, direction};
}

Expected<RecordLayout> parse_record_layout(std::uint64_t record_bytes,
                                           std::string_view key,
                                           Direction direction,
                                           std::optional<KeyType> type) {
    std::size_t const colon = key.find(':');
    auto const offset = parsed_number<std::uint64_t>(key.substr(0, colon));
    auto const size = parsed_number<std::uint64_t>(
        colon == std::string_view::npos ? std::string_view() : key.substr(colon + 1));
    std::string const subject = setting("key", printable_text(key));
    if (record_bytes < 1 || record_bytes > record_bytes_max) {
        return input_error(setting("record-bytes", std::to_string(record_bytes)),
                           "is out of range",
                           "give 1 to " + std::to_string(record_bytes_max));
    }
    if (!offset || !size) {
        return input_error(subject,
                           "is not an offset and a size in bytes",
                           "write OFFSET:BYTES, as " + setting("key", "0:10"));
    }
    if (*size < 1 || *size > RecordLayout::key_bytes_max) {
        return tl::unexpected(
            InputError{subject,
                       "has " + std::to_string(*size) + " bytes",
                       "give a key of 1 to " + std::to_string(RecordLayout::key_bytes_max)});
    }
    if (*offset >= record_bytes || *size > record_bytes - *offset) {
        return tl::unexpected(InputError{subject + " and " + setting("record-bytes") + " " +
                                             std::to_string(record_bytes),
                                         "the key extends beyond the record",
                                         "give a smaller offset, or longer records"});
    }
    if (type && *size != key_size_bytes(*type)) {
        return input_error(
            subject,
            "has " + std::to_string(*size) + " bytes, and a " + std::string(to_string(*type)) +
                " key has " + std::to_string(key_size_bytes(*type)),
            "give the key's own size, or leave " + setting("type") + " out to compare bytes");
    }
    return RecordLayout{static_cast<std::uint32_t>(record_bytes),
                        static_cast<std::uint32_t>(*offset),
                        static_cast<std::uint32_t>(*size),
                        type.value_or(KeyType::b128),
                        direction};
}

std::string to_string(RecordLayout const& layout) {
    if (layout.is_plain_key()) {
        return std::string(to_string(layout.key_type)) + " keys";
    }
    std::string const type =
        layout.is_bytes() ? "" : std::string(to_string(layout.key_type)) + " in ";
    return std::to_string(layout.record_bytes) + "-byte records by " + type + "bytes " +
           std::to_string(layout.key_offset) + " to " +
           std::to_string(layout.key_offset + layout.key_bytes - 1);
}

MultisetDigest digest_of_records(RecordLayout const& layout, std::span<std::byte const> records) {
    switch (layout.record_bytes) {
    case 4:
        return digest_of_half_words(records);
    case 8:
        return digest_of_words(records);
    case 16:
        return digest_of_two_words(records);
    default:
        return sum_of_digests(records, std::size_t{layout.record_bytes});
    }
}

} // namespace keyswap::model
