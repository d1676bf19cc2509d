#include "kernels/exchange_plan/digit_tree.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::kernels {

DigitTree::DigitTree(KeyShape shape)
    : shape_(shape), buckets_{{0, 0}}, places_{0}, children_(digit_nodes_max << shape.digit_bits) {
    KEYSWAP_EXPECTS(shape.digit_bits <= 8);
}

std::optional<std::size_t> DigitTree::find(BucketPrefix bucket) const {
    auto const found = std::ranges::find(buckets_, bucket);
    return found == buckets_.end() ? std::nullopt
                                   : std::optional<std::size_t>(found - buckets_.begin());
}

DigitTree::Place DigitTree::place(std::size_t node) const {
    std::size_t const parent = places_[node] >> shape_.digit_bits;
    std::size_t const in_row = places_[node] - (parent << shape_.digit_bits);
    return {parent, static_cast<std::uint32_t>(in_row >> unused_bits(parent))};
}

ImageRange DigitTree::child_images(std::size_t node, std::uint32_t digit) const {
    return images_of_digits(child_of(buckets_[node], child_bits(node), digit), shape_);
}

std::size_t DigitTree::add_child(std::size_t node, std::uint32_t digit) {
    KEYSWAP_EXPECTS(size() < digit_nodes_max && child(node, digit) == 0);
    std::size_t const place = entry(node, digit);
    children_[place] = static_cast<std::uint8_t>(size());
    places_.push_back(static_cast<std::uint16_t>(place));
    buckets_.push_back(child_of(buckets_[node], child_bits(node), digit));
    return size() - 1;
}

std::uint32_t DigitTree::digit_of(WideImage image, std::size_t node) const {
    int const pass = buckets_[node].pass + 1;
    return static_cast<std::uint32_t>(image >> shape_.bits_below(pass)) &
           ((1U << shape_.bits_of(pass)) - 1U);
}

bool DigitTree::add(BucketPrefix bucket) {
    WideImage const image = images_of_digits(bucket, shape_).lowest;
    KEYSWAP_EXPECTS(shape_.bits_below(bucket.pass) > 0);
    std::size_t node = 0;
    while (buckets_[node].pass < bucket.pass) {
        std::uint32_t const digit = digit_of(image, node);
        std::size_t const next = child(node, digit);
        if (next == 0 && size() == digit_nodes_max) {
            return false;
        }
        node = next != 0 ? next : add_child(node, digit);
    }
    return true;
}

void DigitTree::add_candidates(std::span<std::uint64_t const> sample,
                               std::size_t node,
                               std::size_t least,
                               std::vector<Candidate>& candidates) const {
    bool const is_last_digit = shape_.bits_below(buckets_[node].pass + 1) == 0;
    while (sample.size() >= least && !sample.empty()) {
        std::uint32_t const digit = digit_of(sample.front(), node);
        auto const highest = static_cast<std::uint64_t>(child_images(node, digit).highest);
        auto const end = std::ranges::upper_bound(sample, highest);
        auto const part = sample.first(static_cast<std::size_t>(end - sample.begin()));
        if (std::size_t const next = child(node, digit)) {
            add_candidates(part, next, least, candidates);
        } else if (part.size() >= least && !is_last_digit) {
            candidates.push_back({part, node, digit});
        }
        sample = sample.subspan(part.size());
    }
}

void DigitTree::grow(std::span<std::uint64_t const> sample, std::size_t least) {
    std::vector<Candidate> candidates;
    add_candidates(sample, 0, least, candidates);
    auto const size = [](Candidate const& each) { return each.sample.size(); };
    while (this->size() < digit_nodes_max && !candidates.empty()) {
        auto const largest = std::ranges::max_element(candidates, {}, size);
        Candidate const next = *largest;
        candidates.erase(largest);
        add_candidates(next.sample, add_child(next.node, next.digit), least, candidates);
    }
}

CountedNodes DigitTree::counted() const {
    CountedNodes nodes;
    nodes.count = static_cast<std::uint32_t>(size());
    std::ranges::copy(places_, nodes.place_in_parent);
    nodes.depth = std::ranges::max(buckets_, {}, &BucketPrefix::pass).pass + 1;
    nodes.shape = shape_;
    return nodes;
}

} // namespace keyswap::kernels
