#pragma once

/// \file Records of any type as words, the widest that their size allows: code that moves records
/// is independent of their type. Plain C++.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace keyswap::kernels {

/// The widest memory access of a thread.
struct alignas(16) WideWord {
    std::uint64_t low;
    std::uint64_t high;
};
static_assert(sizeof(WideWord) == 16);

/// Word size in bytes: the largest power of two that divides a record's size, at most 16.
[[nodiscard]] constexpr std::size_t record_word_bytes(std::size_t record_bytes) {
    std::size_t bytes = sizeof(WideWord);
    while (record_bytes % bytes != 0) {
        bytes /= 2;
    }
    return bytes;
}

/// The word of that size.
template <std::size_t record_bytes>
using RecordWord = std::tuple_element_t<
    std::countr_zero(record_word_bytes(record_bytes)),
    std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, WideWord>>;

/// The bytes of a record, aligned for access by whole words.
template <class Record>
struct RecordSlot {
    static_assert(std::is_trivially_copyable_v<Record>, "records are moved as bytes");
    static_assert(alignof(Record) <= record_word_bytes(sizeof(Record)));
    RecordWord<sizeof(Record)> words[sizeof(Record) / sizeof(RecordWord<sizeof(Record)>)];
};

/// True if records at this address can be accessed by words.
[[nodiscard]] inline bool is_aligned_to_words(void const* records, std::size_t record_bytes) {
    return reinterpret_cast<std::uintptr_t>(records) % record_word_bytes(record_bytes) == 0;
}

} // namespace keyswap::kernels
