#pragma once

/// \file What is said of a file of records after one reading in constant memory: what the Sort
/// Benchmark's validator prints, and a digest that shows a permutation.

#include "model/external/record_layout.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::model {

/// Records from front to back.
class RecordSummary {
  public:
    explicit RecordSummary(RecordLayout const& layout);

    /// \pre whole records, those that follow the ones before
    void add(std::span<std::byte const> records);

    [[nodiscard]] std::uint64_t record_count() const { return digest_.count; }
    /// Records whose key is that of the record before them.
    [[nodiscard]] std::uint64_t duplicate_keys() const { return duplicate_keys_; }
    /// Sum of the records' CRC-32 (that of zlib), modulo 2^128.
    [[nodiscard]] uint128 checksum() const { return checksum_; }
    [[nodiscard]] MultisetDigest const& digest() const { return digest_; }
    /// First record whose key is below that of the record before it; nullopt if they ascend.
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

/// Records of the Sort Benchmark's shape and our own content: record i is a function of i and the
/// seed alone. The key's bytes are random; the rest is i in hexadecimal digits, then letters.
/// \param records whole records, those from index `first` on
void make_records(RecordLayout const& layout,
                  std::uint64_t seed,
                  std::uint64_t first,
                  std::span<std::byte> records);

} // namespace keyswap::model
