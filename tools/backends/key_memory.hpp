#pragma once

#include "model/keys/key_file.hpp"
#include "model/keys/key_generator.hpp"
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

/// Keys in host memory as order-preserving images, with the values and the scratch space that a
/// replay needs. Memory: twice that of keys and values, and nothing besides.
class KeyMemory {
  public:
    /// Whether a replay will follow, which needs the scratch space.
    enum class Use { plan_only, replay };

    /// Reads the request's file, or makes its keys. Values are the keys' indices in the input.
    /// The request's number of keys and key type are set where the file says them.
    /// \param progress advanced by keys that were read or made; may be null
    /// \param file the request's file where it is open already, as a pipe can be opened only once
    /// \returns an error, too, where memory does not hold them
    [[nodiscard]] static Expected<KeyMemory>
    load(SortRequest& request,
         Use use,
         Progress* progress = nullptr,
         std::unique_ptr<model::KeyFileReader> file = nullptr);

    [[nodiscard]] std::uint64_t key_count() const { return key_count_; }
    /// Counts these keys. \pre this object outlives the source
    [[nodiscard]] std::unique_ptr<model::KeySource> source() const;
    /// Views for a replay. \pre loaded for a replay; this object outlives the views
    [[nodiscard]] model::AnyReplayMemory replay_memory();
    /// Digest of all keys and values.
    [[nodiscard]] MultisetDigest digest();
    /// First index whose key is below its predecessor's; nullopt if the keys are in order.
    [[nodiscard]] std::optional<std::uint64_t> first_unsorted() const;
    /// Turns the images back into keys, in place. Images cannot be used afterwards.
    void restore_keys();
    /// Turns keys into images again, for instance after another sort has sorted them.
    /// \pre restore_keys() was called
    void make_images();
    /// Bytes of the keys. \pre restore_keys() was called
    [[nodiscard]] std::span<std::byte const> key_bytes() const;
    [[nodiscard]] std::span<std::byte> key_bytes();
    /// Bytes of the values; empty if there are none.
    [[nodiscard]] std::span<std::byte const> value_bytes() const;
    [[nodiscard]] std::span<std::byte> value_bytes();

    /// Room for as many keys, and for as many values. \pre loaded for a replay
    [[nodiscard]] std::span<std::byte> key_scratch_bytes();
    [[nodiscard]] std::span<std::byte> value_scratch_bytes();

  private:
    explicit KeyMemory(model::SortConfig const& config);

    Expected<void>
    read_file(SortRequest& request, Use use, Progress* progress, model::KeyFileReader& file);
    Expected<void> make_keys(SortRequest const& request, Use use, Progress* progress);
    /// Bytes of all arrays together.
    [[nodiscard]] std::uint64_t bytes_per_key(Use use) const;
    void allocate_scratch();
    void number_values();
    /// -0.0 and +0.0 become one image; how many of them were -0.0 is remembered.
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

/// Verdicts on what a sort left, without asking it: "sorted" looks at key by key, "permutation" at
/// the digest. \param before the digest of the keys that were loaded
[[nodiscard]] std::vector<VerdictRecord> verdicts_on(KeyMemory& memory,
                                                     MultisetDigest const& before);

} // namespace keyswap::tools
