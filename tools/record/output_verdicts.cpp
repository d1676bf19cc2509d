#include "tools/record/output_verdicts.hpp"

#include "model/keys/key_arrays.hpp"
#include "model/keys/key_order.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/records/digest.hpp"

#include <string>

namespace keyswap::conformance {

namespace {

template <class Key>
std::span<Key const> as_keys(std::span<std::byte const> bytes) {
    return {reinterpret_cast<Key const*>(bytes.data()), bytes.size() / sizeof(Key)};
}

template <class Key>
model::ImageOf<Key> order_of(Key key, SortShape const& shape) {
    return model::canonical_image<Key>(
        model::image_of(key, shape.direction), shape.zero_order, shape.direction);
}

template <class Key>
VerdictRecord order_verdict(std::span<Key const> output, SortShape const& shape) {
    for (std::size_t i = 1; i < output.size(); ++i) {
        if (order_of(output[i], shape) < order_of(output[i - 1], shape)) {
            return {"sorted",
                    false,
                    "the key at index " + std::to_string(i) + " does not follow its predecessor"};
        }
    }
    return {"sorted", true, {}};
}

template <class Key>
MultisetDigest digest_of_keys(std::span<Key const> keys) {
    MultisetDigest digest;
    for (Key const key : keys) {
        digest += model::element_digest(model::image_of(key), 0);
    }
    return digest;
}

/// Checks input indices: each occurs once, with its own key, ascending among equal keys.
template <class Key>
std::vector<VerdictRecord> value_verdicts(std::span<Key const> made,
                                          std::span<Key const> output,
                                          std::span<std::uint64_t const> values,
                                          SortShape const& shape) {
    VerdictRecord const pairs{"pairs", true, {}};
    VerdictRecord stable{"stable", true, {}};
    std::vector<bool> seen(made.size(), false);
    for (std::size_t i = 0; i < output.size(); ++i) {
        std::uint64_t const value = values[i];
        bool const right = value < made.size() && !seen[value] &&
                           model::image_of(made[value]) == model::image_of(output[i]);
        if (!right) {
            return {{"pairs",
                     false,
                     "the value at index " + std::to_string(i) + ", " + std::to_string(value) +
                         ", is not that of its key"}};
        }
        seen[value] = true;
        bool const tie = i > 0 && order_of(output[i], shape) == order_of(output[i - 1], shape);
        if (tie && value < values[i - 1] && stable.holds) {
            stable = {"stable",
                      false,
                      "equal keys at index " + std::to_string(i) + " are not in input order"};
        }
    }
    return shape.stability == Stability::stable ? std::vector{pairs, stable} : std::vector{pairs};
}

} // namespace

std::vector<VerdictRecord> output_verdicts(SortShape const& shape,
                                           std::span<std::byte const> made,
                                           std::span<std::byte const> output,
                                           std::span<std::uint64_t const> values) {
    KEYSWAP_EXPECTS(made.size() == output.size());
    return model::with_key_type(shape.key_type, [&]<class Key>(Key) {
        auto const in = as_keys<Key>(made);
        auto const out = as_keys<Key>(output);
        bool const same = digest_of_keys(in) == digest_of_keys(out);
        std::vector<VerdictRecord> verdicts{
            order_verdict(out, shape),
            {"permutation", same, same ? "" : "keys were lost, doubled or changed"}};
        if (!values.empty()) {
            auto const of_values = value_verdicts(in, out, values, shape);
            verdicts.insert(verdicts.end(), of_values.begin(), of_values.end());
        }
        return verdicts;
    });
}

} // namespace keyswap::conformance
