#pragma once

#include "model/distributions/key_generator.hpp"
#include "model/key_files/key_file.hpp"
#include "model/sorts/algorithm.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/text/progress.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace keyswap::tools {

/// Keys in host memory as order-preserving images, with values and scratch space for a replay. Uses
/// twice the memory of keys and values (Use::replay), without further copies.
class KeyMemory {
  public:
    /// A replay needs the scratch space; a plan does not.
    enum class Use { plan_only, replay };

    /// Reads the request's file, or generates its keys. Values are input indices.
    /// Sets the request's key count and key type if the file defines them.
    /// \param progress advanced by the keys read or generated; may be null
    /// \param file the request's file if already open, since a pipe can be opened only once
    /// \returns an error also if the keys do not fit into memory
    [[nodiscard]] static Expected<KeyMemory>
    load(SortRequest& request,
         Use use,
         Progress* progress = nullptr,
         std::unique_ptr<model::KeyFileReader> file = nullptr);

    [[nodiscard]] std::uint64_t key_count() const { return key_count_; }
    /// Source that counts these keys. \pre this object outlives the source
    [[nodiscard]] std::unique_ptr<model::KeySource> source() const;
    /// Views for a replay. \pre loaded with Use::replay; this object outlives the views
    [[nodiscard]] model::AnyReplayMemory replay_memory();
    /// Digest of all keys and values.
    [[nodiscard]] MultisetDigest digest();
    /// First index whose key is below its predecessor's; nullopt if the keys are in order.
    [[nodiscard]] std::optional<std::uint64_t> first_unsorted() const;
    /// Converts images to keys in place. Functions on images may not be called afterwards.
    void restore_keys();
    /// Converts keys to images, for instance after an in-place sort of the raw keys.
    /// \pre restore_keys() was called
    void make_images();
    /// Raw keys. \pre restore_keys() was called
    [[nodiscard]] std::span<std::byte> key_bytes();
    /// Values as bytes; empty if there are none.
    [[nodiscard]] std::span<std::byte> value_bytes();

    /// Scratch space for the keys, and for the values. \pre loaded with Use::replay
    [[nodiscard]] std::span<std::byte> key_scratch_bytes();
    [[nodiscard]] std::span<std::byte> value_scratch_bytes();

  private:
    explicit KeyMemory(model::SortConfig const& config);

    Expected<void>
    read_file(SortRequest& request, Use use, Progress* progress, model::KeyFileReader& file);
    Expected<void> make_keys(SortRequest const& request, Use use, Progress* progress);
    /// Bytes per key over all arrays.
    [[nodiscard]] std::uint64_t bytes_per_key(Use use) const;
    void allocate_scratch();
    void fill_values_with_indices();
    /// Replaces -0.0 by +0.0, which then share an image, and stores the number replaced.
    void unify_zeros();
    void separate_zeros();

    template <class Image>
    [[nodiscard]] std::span<Image> images() const;

    model::SortConfig config_;
    std::uint64_t key_count_ = 0;
    std::uint64_t negative_zero_count_ = 0;
    std::unique_ptr<std::byte[]> keys_;
    std::unique_ptr<std::byte[]> key_scratch_;
    std::unique_ptr<std::byte[]> values_;
    std::unique_ptr<std::byte[]> value_scratch_;
};

/// Independent checks of a sort's result: "sorted" compares neighbouring keys, "permutation"
/// compares digests. \param before digest of the unsorted keys
[[nodiscard]] std::vector<VerdictRecord> check_sorted_keys(KeyMemory& memory,
                                                           MultisetDigest const& before);

} // namespace keyswap::tools
