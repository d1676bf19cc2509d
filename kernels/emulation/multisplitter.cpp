/// \file A stand-in for multisplits by splitters: a stable loop. Its workspace is one byte per
/// element.

#include "kernels/emulation/host_words.hpp"
#include "kernels/multisplit.hpp"
#include "kernels/multisplit/split_workspace.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::kernels {

class MultisplitState {
  public:
    explicit MultisplitState(MultisplitOptions options) : options_(std::move(options)) {}

    void split(MultisplitArrays const& arrays, std::uint64_t count) const {
        auto const key_bytes = static_cast<int>(key_size_bytes(options_.key_type));
        auto const value_bytes = static_cast<int>(value_size_bytes(options_.value_type));
        with_key_word(key_bytes, [&]<class Word>() {
            if constexpr (sizeof(Word) <= 8) {
                std::vector<std::size_t> labels(count);
                std::vector<std::uint64_t> counts(options_.function.buckets);
                for (std::uint64_t i = 0; i < count; ++i) {
                    labels[i] = bucket_of(emulation::words<Word>(arrays.keys_in)[i]);
                    ++counts[labels[i]];
                }
                std::exclusive_scan(counts.begin(), counts.end(), arrays.starts, std::uint64_t{0});
                std::vector<std::uint64_t> places(arrays.starts, arrays.starts + counts.size());
                for (std::uint64_t i = 0; i < count; ++i) {
                    std::uint64_t const to = places[labels[i]]++;
                    emulation::move_element(arrays.keys_out, to, arrays.keys_in, i, key_bytes);
                    emulation::move_element(
                        arrays.values_out, to, arrays.values_in, i, value_bytes);
                }
            }
        });
    }

  private:
    /// Number of splitters below the key.
    template <class Word>
    [[nodiscard]] std::size_t bucket_of(Word key) const {
        auto const& splitters = std::get<SplitterBuckets>(options_.function.rule);
        KEYSWAP_EXPECTS(splitters.tie == Tie::left && splitters.equality.empty());
        KeyImage const image{0,
                             encode_image(key, image_code(options_.key_type, options_.direction))};
        return static_cast<std::size_t>(std::ranges::lower_bound(splitters.splitters, image) -
                                        splitters.splitters.begin());
    }

    MultisplitOptions options_;
};

Multisplitter::Multisplitter(std::unique_ptr<MultisplitState> state) : state_(std::move(state)) {}
Multisplitter::Multisplitter(Multisplitter&&) noexcept = default;
Multisplitter::~Multisplitter() = default;

SortExpected<Multisplitter> Multisplitter::create(MultisplitOptions const& options,
                                                  std::uint64_t /*count_max*/) {
    return Multisplitter(std::make_unique<MultisplitState>(options));
}

SortExpected<void> Multisplitter::split(MultisplitArrays const& arrays, std::uint64_t count) {
    state_->split(arrays, count);
    return {};
}

std::uint64_t SplitWorkspace::bytes(SplitNeeds const& needs) {
    return needs.count_max;
}

} // namespace keyswap::kernels
