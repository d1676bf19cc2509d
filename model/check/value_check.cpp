#include "model/check/value_check.hpp"

#include "model/key_files/stored_keys.hpp"
#include "model/keys/key_order.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <vector>

namespace keyswap::model {

namespace {

/// Output keys and values per batch.
constexpr std::size_t batch_size = std::size_t{1} << 16;

/// Checks pairs in output order; keeps track of the input indices seen so far.
template <class Word>
class PairWalk {
  public:
    PairWalk(std::vector<Word> input, ImageRule<Word> rule, std::span<std::uint64_t const> starts)
        : input_(std::move(input)), rule_(rule), starts_(starts), seen_(input_.size(), false) {}

    /// \return false after the first wrong value
    bool step(std::uint64_t index, Word key, std::uint64_t value, ValueCheck& check) {
        if (value >= input_.size() || seen_[value] || input_[value] != key) {
            check.first_wrong = index;
            check.wrong = "value " + std::to_string(value) + " at index " + std::to_string(index);
            check.wrong += value >= input_.size() ? " is not an index of the input"
                           : seen_[value]         ? " appears twice"
                                                  : " belongs to another key";
            return false;
        }
        seen_[value] = true;
        Word const order = order_by(rule_, key);
        bool const same_group =
            starts_.empty() ? order == order_before_ : !std::ranges::binary_search(starts_, index);
        if (index > 0 && same_group && value < value_before_ && !check.first_unstable) {
            check.first_unstable = index;
        }
        order_before_ = order;
        value_before_ = value;
        return true;
    }

  private:
    std::vector<Word> input_;
    ImageRule<Word> rule_;
    std::span<std::uint64_t const> starts_; ///< of groups; empty: groups are runs of equal keys
    std::vector<bool> seen_;
    Word order_before_ = 0;
    std::uint64_t value_before_ = 0;
};

template <class Word>
Expected<ValueCheck> walk(StoredKeys const& input,
                          StoredKeys const& output,
                          StoredKeys const& values,
                          OutputCheckOptions const& options,
                          std::span<std::uint64_t const> starts) {
    std::vector<Word> words(input.key_count());
    KEYSWAP_RETURN_IF_ERROR(input.read(0, std::as_writable_bytes(std::span(words))));
    PairWalk<Word> pairs(
        std::move(words),
        image_rule<Word>(
            input.key_type(), options.direction, options.zero_order, options.nan_order),
        starts);
    ValueCheck check;
    check.value_count = values.key_count();
    for (std::uint64_t first = 0; first < output.key_count(); first += batch_size) {
        std::vector<Word> keys(static_cast<std::size_t>(
            std::min<std::uint64_t>(batch_size, output.key_count() - first)));
        auto const read = output.read(first, std::as_writable_bytes(std::span(keys)));
        auto const batch = read_indices(values, first, keys.size());
        if (!read || !batch) {
            return tl::unexpected(!read ? read.error() : batch.error());
        }
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (!pairs.step(first + i, keys[i], (*batch)[i], check)) {
                return check;
            }
        }
    }
    return check;
}

} // namespace

Expected<std::vector<std::uint64_t>>
read_indices(StoredKeys const& values, std::uint64_t first, std::size_t count) {
    return with_key_type(
        values.key_type(), [&]<class T>(T) -> Expected<std::vector<std::uint64_t>> {
            std::vector<T> stored(count);
            auto const read = values.read(first, std::as_writable_bytes(std::span(stored)));
            return read.map([&] {
                std::vector<std::uint64_t> wide(count);
                std::ranges::transform(stored, wide.begin(), [](T value) {
                    return static_cast<std::uint64_t>(value);
                });
                return wide;
            });
        });
}

Expected<ValueCheck> check_values(std::span<std::filesystem::path const> inputs,
                                  std::span<std::filesystem::path const> outputs,
                                  std::filesystem::path const& values_path,
                                  KeyType value_type,
                                  OutputCheckOptions const& options,
                                  std::span<std::uint64_t const> starts) {
    KEYSWAP_EXPECTS(value_type == KeyType::u32 || value_type == KeyType::u64);
    KEYSWAP_TRY(auto const input, StoredKeys::open(inputs, options.input));
    auto const output = StoredKeys::open(outputs, input.same_type(options.output));
    KeyFileOptions value_options{std::nullopt, value_type};
    value_options.type_of = "values";
    value_options.are_indices = true;
    auto const values = StoredKeys::open(values_path, value_options);
    if (!output || !values) {
        return tl::unexpected(!output ? output.error() : values.error());
    }
    return check_values(input, *output, *values, options, starts);
}

Expected<ValueCheck> check_values(StoredKeys const& input,
                                  StoredKeys const& output,
                                  StoredKeys const& values,
                                  OutputCheckOptions const& options,
                                  std::span<std::uint64_t const> starts) {
    if (values.key_count() != output.key_count()) {
        ValueCheck check;
        check.value_count = values.key_count();
        check.wrong = "there are " + std::to_string(check.value_count) + " values for " +
                      std::to_string(output.key_count()) + " keys";
        return check;
    }
    return with_image_type(input.key_type(), [&]<class Word>(Word) {
        return walk<Word>(input, output, values, options, starts);
    });
}

} // namespace keyswap::model
