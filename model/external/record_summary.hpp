#pragma once

/// \file Summary of a file of records from one pass in constant memory: the figures of the Sort
/// Benchmark's validator, and a digest that identifies permutations.

#include "model/external/record_layout.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::model {

/// Accumulates the summary front to back.
class RecordSummary {
  public:
    explicit RecordSummary(RecordLayout const& layout);

    /// \pre whole records that follow those of the previous call
    void add(std::span<std::byte const> records);

    [[nodiscard]] std::uint64_t record_count() const { return digest_.count; }
    /// Number of records whose key equals that of their predecessor.
    [[nodiscard]] std::uint64_t duplicate_keys() const { return duplicate_keys_; }
    /// Sum of the records' CRC-32 (as in zlib), modulo 2^128.
    [[nodiscard]] uint128 checksum() const { return checksum_; }
    [[nodiscard]] MultisetDigest const& digest() const { return digest_; }
    /// Index of the first record whose key is below its predecessor's; nullopt if sorted.
    [[nodiscard]] std::optional<std::uint64_t> first_unsorted() const { return first_unsorted_; }
    [[nodiscard]] std::uint64_t unsorted_count() const { return unsorted_count_; }

  private:
    RecordLayout layout_;
    MultisetDigest digest_;
    uint128 checksum_ = 0;
    std::optional<uint128> last_image_;
    std::uint64_t duplicate_keys_ = 0;
    std::uint64_t unsorted_count_ = 0;
    std::optional<std::uint64_t> first_unsorted_;
};

/// Generates records in the Sort Benchmark's format with our own content: record i is a function of
/// i and the seed only. The key's bytes are random; the rest is i in hexadecimal, then letters.
/// \param records output, whole records from index `first` on
void make_records(RecordLayout const& layout,
                  std::uint64_t seed,
                  std::uint64_t first,
                  std::span<std::byte> records);

} // namespace keyswap::model
