#pragma once

/// \file A bucket rule in a form for kernel arguments, built on the host.

#include "kernels/device/device_buffer.hpp"
#include "kernels/device/key_image.hpp"
#include "traces/records/bucket_function.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::kernels {

enum class RuleKind { digit, delta, splitters, prime, hash, labels, even };

/// The bucket of a key image. Pointers are to device memory owned by RuleTables.
struct DeviceRule {
    RuleKind kind = RuleKind::digit;
    std::uint32_t buckets = 1; ///< m
    ImageCode code;            ///< code of the raw keys in memory
    // digit: (image >> shift) & mask
    int shift = 0;
    std::uint32_t mask = 0;
    // delta: min((image - origin) / width, m - 1); 0 below the origin
    std::uint64_t origin = 0;
    std::uint64_t width = 1;      ///< 0 means 2^64
    std::uint64_t reciprocal = 0; ///< floor(2^64 / width) for widths above 1
    // hash
    std::uint64_t seed = 0;
    // splitters
    /// [2^levels] words in heap order; entry 0 is unused. Images greater than a node go to its
    /// right child; for Tie::right, nodes are splitters minus 1, so that equal ones go right.
    void const* tree = nullptr;
    void const* ascending = nullptr;         ///< [d] words, the d splitters
    std::uint32_t const* children = nullptr; ///< [d + 1]: child of rank j; see equality_flag
    int levels = 0;
    std::uint32_t rank_base = 0; ///< splitters without a node, as no image is below them
    bool has_equality = false;
    // even: bins of equal width, edges in `ascending`
    std::uint64_t first_edge = 0;
    std::uint64_t end_edge = 0;
    double lower = 0;
    double bins_per_unit = 0;
    double doubt = 0; ///< distance from a whole number below which a guess may be wrong
    // labels
    void const* labels = nullptr; ///< [n] words of label_bytes
    int label_bytes = 1;
};

/// Flag in DeviceRule::children[j]: the splitter of rank j has an equality bucket, which is the
/// next child.
inline constexpr std::uint32_t equality_flag = 1U << 31;

/// A rule's tables on the current device, and the rule that refers to them.
class RuleTables {
  public:
    /// \pre the function is valid for keys of key_bytes (4 or 8); the caller sets rule().labels
    RuleTables(BucketFunction const& function, int key_bytes, ImageCode code);
    /// Bins of equal width. \param edges [bins + 1] images, strictly ascending
    RuleTables(std::vector<KeyImage> const& edges, KeyType type);
    [[nodiscard]] DeviceRule const& rule() const { return rule_; }

  private:
    DeviceRule rule_;
    DeviceBuffer<std::uint64_t> words_; ///< tree, then ascending splitters
    DeviceBuffer<std::uint32_t> children_;
};

} // namespace keyswap::kernels
