#include "kernels/exchange_plan/swap_pieces.hpp"

#include "kernels/exchange_plan/level_digits.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

namespace keyswap::kernels {

namespace {

/// Adjacent children of a node whose digits agree in all but the lowest bits.
struct Block {
    std::size_t node = 0;
    std::uint32_t first = 0;
    int bits = 0;

    [[nodiscard]] std::uint32_t end() const { return first + (1U << bits); }
};

/// Divides the tree into blocks of at most a target number of keys.
class PieceList {
  public:
    PieceList(DigitTree const& tree,
              std::span<std::uint64_t const> counts,
              std::span<FinalBucket const> buckets)
        : tree_(tree), counts_(counts), buckets_(buckets), gpus_(counts.size() / tree.entries()),
          before_(tree.entries() + tree.size()) {
        for (FinalBucket const& bucket : buckets) {
            lowest_.push_back(static_cast<std::uint64_t>(bucket.images.lowest));
            highest_.push_back(static_cast<std::uint64_t>(bucket.images.highest));
        }
        for (std::size_t node = 0; node < tree.size(); ++node) {
            auto const sums = std::span{before_}.subspan(first_of(node) + 1);
            std::size_t const digits = std::size_t{1} << tree.child_bits(node);
            int const unused = tree.unused_bits(node);
            for (std::size_t gpu = 0; gpu < gpus_; ++gpu) {
                std::span const row = row_of(gpu, node);
                for (std::size_t digit = 0; digit < digits; ++digit) {
                    sums[digit] += row[digit << unused];
                }
            }
            std::partial_sum(
                sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(digits), sums.begin());
        }
    }

    [[nodiscard]] std::uint64_t key_count() const { return count_of(root()); }
    /// \return false if there are more than `most`
    [[nodiscard]] bool divide(std::uint64_t target, std::size_t most) {
        target_ = target;
        most_ = most;
        blocks_.clear();
        divide(root());
        return blocks_.size() <= most;
    }
    [[nodiscard]] std::vector<SwapPiece> pieces() const {
        std::vector<SwapPiece> pieces;
        pieces.reserve(blocks_.size());
        std::uint64_t position = 0;
        std::vector<std::uint64_t> sent(gpus_);
        for (Block const& block : blocks_) {
            pieces.push_back(piece_of(block, position, sent));
        }
        return pieces;
    }

  private:
    [[nodiscard]] Block root() const { return {0, 0, tree_.child_bits(0)}; }
    [[nodiscard]] std::uint64_t count_of(Block const& block) const {
        std::size_t const row = first_of(block.node);
        return before_[row + block.end()] - before_[row + block.first];
    }
    /// Index in before_ of a node's first child.
    [[nodiscard]] std::size_t first_of(std::size_t node) const {
        return node * ((std::size_t{1} << tree_.shape().digit_bits) + 1);
    }
    /// Counters of a node's children, the first child first.
    [[nodiscard]] std::span<std::uint64_t const> row_of(std::size_t gpu, std::size_t node) const {
        return counts_.subspan(gpu * tree_.entries() + tree_.entry(node, 0));
    }

    void divide(Block const& block) {
        std::uint64_t const count = count_of(block);
        if (count == 0 || blocks_.size() > most_) {
            return;
        }
        if (block.bits == 0) {
            if (std::size_t const child = tree_.child(block.node, block.first)) {
                divide({child, 0, tree_.child_bits(child)});
            } else {
                blocks_.push_back(block);
            }
            return;
        }
        Block const low{block.node, block.first, block.bits - 1};
        Block const high{block.node, low.end(), block.bits - 1};
        std::uint64_t const in_low = count_of(low);
        bool const is_narrower = in_low == 0 || in_low == count; // one half has all keys
        if (!is_narrower && count <= target_ && has_one_owner(block)) {
            blocks_.push_back(block);
            return;
        }
        divide(low);
        divide(high);
    }

    [[nodiscard]] ImageRange images_of(Block const& block) const {
        return {tree_.child_images(block.node, block.first).lowest,
                tree_.child_images(block.node, block.end() - 1).highest};
    }
    /// Buckets that overlap the images: [first, end).
    [[nodiscard]] std::pair<std::size_t, std::size_t> buckets_in(ImageRange images) const {
        auto const first =
            std::ranges::lower_bound(highest_, static_cast<std::uint64_t>(images.lowest));
        auto const end =
            std::ranges::upper_bound(lowest_, static_cast<std::uint64_t>(images.highest));
        return {static_cast<std::size_t>(first - highest_.begin()),
                static_cast<std::size_t>(end - lowest_.begin())};
    }
    [[nodiscard]] bool has_one_owner(Block const& block) const {
        auto const [first, end] = buckets_in(images_of(block));
        KEYSWAP_EXPECTS(first < end); // counted keys are always inside a bucket
        return buckets_[first].placement.first == buckets_[end - 1].placement.last;
    }

    /// \param position keys in all previous pieces; increased by this piece
    /// \param sent [g] keys in all previous pieces by source; increased likewise
    [[nodiscard]] SwapPiece
    piece_of(Block const& block, std::uint64_t& position, std::span<std::uint64_t> sent) const {
        SwapPiece piece;
        piece.keys.images = images_of(block);
        std::tie(piece.first_bucket, piece.end_bucket) = buckets_in(piece.keys.images);
        KEYSWAP_EXPECTS(piece.first_bucket < piece.end_bucket);
        PlacementRecord& placement = piece.keys.placement;
        placement = buckets_[piece.first_bucket].placement;
        placement.last = buckets_[piece.end_bucket - 1].placement.last;
        KEYSWAP_EXPECTS(placement.first == placement.last ||
                        piece.end_bucket - piece.first_bucket == 1);
        placement.begin = position;
        position += count_of(block);
        placement.end = position;
        piece.keys.parts.reserve(gpus_);
        int const unused = tree_.unused_bits(block.node);
        for (std::size_t gpu = 0; gpu < gpus_; ++gpu) {
            std::span const row = row_of(gpu, block.node);
            std::uint64_t count = 0;
            for (std::size_t digit = block.first; digit < block.end(); ++digit) {
                count += row[digit << unused];
            }
            piece.keys.parts.push_back({sent[gpu], count});
            sent[gpu] += count;
        }
        return piece;
    }

    DigitTree const& tree_;
    std::span<std::uint64_t const> counts_;
    std::span<FinalBucket const> buckets_;
    std::size_t gpus_;
    std::vector<std::uint64_t> lowest_; ///< lowest image of each bucket
    std::vector<std::uint64_t> highest_;
    std::vector<std::uint64_t> before_; ///< [nodes][digits + 1] keys of all sources before a child
    std::uint64_t target_ = 0;
    std::size_t most_ = 0;
    std::vector<Block> blocks_; ///< the pieces found so far, ascending
};

/// Most keys of a piece, given that blocks are two thirds full on average.
std::uint64_t target_of(std::uint64_t key_count, std::size_t pieces) {
    return key_count / pieces * 3 / 2 + 1;
}

} // namespace

std::size_t swap_pieces_for(std::uint64_t key_count, std::uint32_t leaf) {
    constexpr std::size_t least = 256;
    constexpr std::size_t most = 400;
    // Keys of a piece are uneven: one end of a sixteenth octave has 6 % more than average.
    std::uint64_t const one_level = keys_of_one_level(leaf) / 20 * 19;
    std::uint64_t const pieces = key_count / one_level * 3 / 2 + 1;
    return std::clamp<std::uint64_t>(pieces, least, most);
}

std::vector<SwapPiece> swap_pieces(DigitTree const& tree,
                                   std::span<std::uint64_t const> counts,
                                   std::span<FinalBucket const> buckets,
                                   std::size_t most) {
    PieceList list{tree, counts, buckets};
    std::uint64_t target = target_of(list.key_count(), most);
    while (!list.divide(target, most)) {
        if (target >= list.key_count()) {
            return {};
        }
        target += target / 4 + 1;
    }
    return list.pieces();
}

std::vector<SwapPiece> scatter_pieces(DigitTree const& tree,
                                      std::span<std::uint64_t const> counts,
                                      std::span<FinalBucket const> buckets,
                                      std::uint64_t key_count,
                                      std::uint32_t leaf) {
    std::vector<SwapPiece> pieces =
        swap_pieces(tree, counts, buckets, swap_pieces_for(key_count, leaf));
    return !pieces.empty() ? pieces : swap_pieces(tree, counts, buckets, scatter_ranges_max);
}

bool is_crowded(std::span<SwapPiece const> pieces, std::span<std::uint64_t const> sample) {
    constexpr std::size_t chance = 3;
    std::size_t crowded = 0;
    auto next = sample.begin();
    for (SwapPiece const& piece : pieces) {
        auto const lowest = static_cast<std::uint64_t>(piece.keys.images.lowest);
        auto const highest = static_cast<std::uint64_t>(piece.keys.images.highest);
        next = std::find_if(next, sample.end(), [=](std::uint64_t key) { return key >= lowest; });
        auto const end = std::upper_bound(next, sample.end(), highest);
        int const bits = piece.keys.images.end_bit();
        int const shift = std::max(0, bits - level_digit_bits_max);
        std::size_t const most = std::max(chance, static_cast<std::size_t>(end - next) / 8);
        while (next != end && bits > 0) {
            auto const of_child = std::find_if(
                next, end, [=](std::uint64_t key) { return key >> shift != *next >> shift; });
            auto const count = static_cast<std::size_t>(of_child - next);
            crowded += count > most && shift > 0 ? count : 0;
            next = of_child;
        }
        next = end;
    }
    return crowded > sample.size() / 8;
}

bool spans_border(std::span<std::uint64_t const> sample,
                  KeyShape shape,
                  std::uint32_t gpu_count,
                  double tolerance) {
    constexpr double chance = 0.03; // four standard deviations of 4,096 samples
    if (sample.empty()) {
        return false;
    }
    std::vector<std::size_t> counts(std::size_t{1} << shape.bits_of(1));
    for (std::uint64_t const image : sample) {
        ++counts[static_cast<std::size_t>(image >> shape.bits_below(1))];
    }
    auto const size = static_cast<double>(sample.size());
    double begin = 0;
    for (std::size_t const count : counts) {
        double const end = begin + static_cast<double>(count) / size;
        for (std::uint32_t gpu = 1; gpu < gpu_count; ++gpu) {
            double const border = static_cast<double>(gpu) / gpu_count;
            if (border - begin > tolerance + chance && end - border > tolerance + chance) {
                return true;
            }
        }
        begin = end;
    }
    return false;
}

std::vector<FinalBucket> buckets_of(std::span<SwapPiece const> pieces) {
    std::vector<FinalBucket> buckets;
    std::ranges::transform(pieces, std::back_inserter(buckets), &SwapPiece::keys);
    return buckets;
}

void assign_buckets(std::span<SwapSegment> segments, std::span<SwapPiece const> pieces) {
    for (SwapSegment& segment : segments) {
        KEYSWAP_EXPECTS(segment.end_bucket == segment.first_bucket + 1);
        SwapPiece const& piece = pieces[segment.first_bucket];
        segment.first_bucket = piece.first_bucket;
        segment.end_bucket = piece.end_bucket;
    }
}

RangeTable range_table(std::span<ScatterLabel const> labels, DigitTree const& tree) {
    KEYSWAP_EXPECTS(!labels.empty());
    // Last label with lowest <= image; labels before `from` are known to qualify.
    auto const last_up_to = [labels](WideImage image, std::uint32_t from) {
        while (from + 1 < labels.size() && labels[from + 1].lowest <= image) {
            ++from;
        }
        return from;
    };
    std::size_t const digits = std::size_t{1} << tree.shape().digit_bits;
    RangeTable table;
    table.labels = static_cast<std::uint32_t>(labels.size());
    table.entries.resize(digits);
    std::vector<std::uint32_t> number(tree.size()); // [tree nodes] index in the table
    auto const place = [&](std::size_t node, std::uint32_t digit) {
        return number[node] * digits + (std::size_t{digit} << tree.unused_bits(node));
    };
    auto const write = [&](std::size_t node) {
        std::uint32_t first = 0;
        ImageRange images = tree.child_images(node, 0);
        WideImage const width = images.highest - images.lowest + 1;
        std::uint32_t const children = 1U << tree.child_bits(node);
        for (std::uint32_t digit = 0; digit < children; ++digit) {
            first = last_up_to(images.lowest, first);
            bool const has_more = last_up_to(images.highest, first) > first;
            table.entries[place(node, digit)] =
                static_cast<std::uint16_t>(first | (has_more ? LabelEntry::search_bit : 0));
            images.lowest += width;
            images.highest += width;
        }
    };
    write(0);
    for (std::size_t node = 1; node < tree.size() && table.nodes < label_nodes_max; ++node) {
        auto const [parent, digit] = tree.place(node);
        bool const is_reached = parent == 0 || number[parent] != 0;
        if (is_reached && (table.entries[place(parent, digit)] & LabelEntry::search_bit) != 0) {
            number[node] = table.nodes++;
            table.entries[place(parent, digit)] =
                static_cast<std::uint16_t>(LabelEntry::node_bit | number[node]);
            table.entries.resize(table.nodes * digits);
            write(node);
            table.depth = std::max(table.depth, tree.bucket(node).pass + 1);
        }
    }
    return table;
}

} // namespace keyswap::kernels
