#include "model/check/multisplit_check.hpp"

#include "model/check/hash_seed.hpp"
#include "model/check/image_scan.hpp"
#include "model/check/multiset_difference.hpp"
#include "model/check/shown_key.hpp"
#include "model/key_files/key_blocks.hpp"
#include "model/keys/key_order.hpp"
#include "model/partition/partition_positions.hpp"
#include "model/partition/stable_partition.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <variant>

namespace keyswap::model {

namespace {

/// 1 MiB of 32-bit keys: enough work for several threads.
constexpr std::uint64_t split_block_keys = std::uint64_t{1} << 18;

/// Contents of a file's buckets, each as a multiset and, with the keys' ranks in their bucket as
/// positions, as a sequence. A sequence's count is the next rank.
struct BucketContents {
    std::vector<MultisetDigest> sets;      ///< [m]
    std::vector<SequenceDigest> sequences; ///< [m]

    HashSeed const& seed; ///< replaces the value in the digests

    BucketContents(std::uint32_t buckets, HashSeed const& seed_of_all)
        : sets(buckets), sequences(buckets), seed(seed_of_all) {}

    template <class Image>
    void add(std::uint32_t bucket, Image image) {
        MultisetDigest const element = element_digest(image, seed.number());
        sets[bucket] += element;
        sequences[bucket] += digest_at(sequences[bucket].count, element);
    }
    [[nodiscard]] std::vector<std::uint64_t> counts() const {
        std::vector<std::uint64_t> result;
        for (MultisetDigest const& set : sets) {
            result.push_back(set.count);
        }
        return result;
    }
    [[nodiscard]] MultisetDigest all() const {
        MultisetDigest sum;
        for (MultisetDigest const& set : sets) {
            sum += set;
        }
        return sum;
    }
};

template <class Word>
class MultisplitChecker {
  public:
    MultisplitChecker(StoredKeys const& input,
                      StoredKeys const& output,
                      MultisplitExpectation const& promise)
        : input_(input), output_(output), promise_(promise),
          evaluator_(promise.given.function, key_bits(input.key_type()), promise.given.labels),
          rule_(image_rule<Word>(input.key_type(), Direction::ascending, ZeroOrder::total)) {}

    Expected<MultisplitCheck> check() {
        MultisplitCheck check;
        check.key_type = input_.key_type();
        check.input_count = input_.key_count();
        check.output_count = output_.key_count();
        KEYSWAP_TRY(auto const expected, input_contents());
        check.starts = exclusive_sums(expected.counts());
        compare_starts(check);
        KEYSWAP_TRY(auto const found, output_contents(check));
        check.permutation =
            check.input_count == check.output_count && found.all() == expected.all();
        Expected<void> explained;
        if (!check.permutation) {
            explained = find_values(check);
        } else if (auto const bucket = first_difference(found.sets, expected.sets)) {
            check.wrong_bucket = bucket;
        } else if (promise_.stability == Stability::stable) {
            if (auto const late = first_difference(found.sequences, expected.sequences)) {
                explained = find_order(check, *late);
            }
        }
        return explained ? Expected<MultisplitCheck>(std::move(check))
                         : tl::unexpected(explained.error());
    }

  private:
    /// Calls visit(first, images) for all keys in order, until it returns false.
    template <class Visit>
    Expected<void> for_each_block(StoredKeys const& keys, Visit visit) const {
        std::vector<Word> words(std::min(split_block_keys, keys.key_count()));
        for (std::uint64_t first = 0; first < keys.key_count(); first += words.size()) {
            words.resize(std::min<std::uint64_t>(words.size(), keys.key_count() - first));
            KEYSWAP_RETURN_IF_ERROR(keys.read(first, std::as_writable_bytes(std::span(words))));
            for (Word& word : words) {
                word = image_by(rule_, word);
            }
            auto more = visit(first, std::span<Word const>(words));
            if (!more || !*more) {
                return more.map([](bool) {});
            }
        }
        return {};
    }

    void report_read(std::uint64_t keys) const {
        if (promise_.on_keys_read) {
            promise_.on_keys_read(keys);
        }
    }

    Expected<BucketContents> input_contents() const {
        BucketContents contents(evaluator_.bucket_count(), seed_);
        auto const read = for_each_block(
            input_, [&](std::uint64_t first, std::span<Word const> images) -> Expected<bool> {
                auto const labels = labels_of(evaluator_, images, first);
                for (std::size_t i = 0; i < images.size(); ++i) {
                    contents.add(labels[i], images[i]);
                }
                report_read(images.size());
                return true;
            });
        return read.map([&] { return std::move(contents); });
    }

    /// Assigns the keys at [starts[j], starts[j + 1]) to bucket j, and records the first key of
    /// another bucket. Surplus keys at the end count to the last bucket.
    Expected<BucketContents> output_contents(MultisplitCheck& check) const {
        bool const named_by_key =
            !std::holds_alternative<LabelBuckets>(promise_.given.function.rule);
        BucketContents contents(evaluator_.bucket_count(), seed_);
        std::uint32_t bucket = 0;
        auto const read = for_each_block(
            output_, [&](std::uint64_t first, std::span<Word const> images) -> Expected<bool> {
                auto const labels = named_by_key ? labels_of(evaluator_, images, first)
                                                 : std::vector<std::uint32_t>{};
                for (std::size_t i = 0; i < images.size(); ++i) {
                    while (bucket + 1 < check.starts.size() &&
                           check.starts[bucket + 1] <= first + i) {
                        ++bucket;
                    }
                    contents.add(bucket, images[i]);
                    if (named_by_key && labels[i] != bucket && !check.misplaced) {
                        check.misplaced = {first + i, text(images[i]), labels[i], bucket};
                    }
                }
                report_read(images.size());
                return true;
            });
        return read.map([&] { return std::move(contents); });
    }

    void compare_starts(MultisplitCheck& check) const {
        if (!promise_.starts) {
            return;
        }
        std::vector<std::uint64_t> const& promised = *promise_.starts;
        if (promised.size() != check.starts.size()) {
            check.wrong_start_count = promised.size();
        }
        auto const [wrong, right] = std::ranges::mismatch(promised, check.starts);
        if (wrong != promised.end() && right != check.starts.end()) {
            check.wrong_start = {
                static_cast<std::uint32_t>(wrong - promised.begin()), *wrong, *right};
        }
    }

    template <class Digest>
    static std::optional<std::uint32_t> first_difference(std::vector<Digest> const& found,
                                                         std::vector<Digest> const& expected) {
        auto const place = std::ranges::mismatch(found, expected).in1;
        return place == found.end()
                   ? std::nullopt
                   : std::optional(static_cast<std::uint32_t>(place - found.begin()));
    }

    Expected<void> find_values(MultisplitCheck& check) const {
        KEYSWAP_TRY(auto const difference,
                    multiset_difference(ComparedFiles<Word>{
                        input_, output_, rule_, seed_, default_thread_count()}));
        for (ValueCounts const& value : difference.values) {
            if (check.values.size() < values_shown_max) {
                check.values.push_back(
                    {text(static_cast<Word>(value.image)), value.in_input, value.in_output});
            }
        }
        return {};
    }

    /// Compares a bucket's keys in the output with those of the input, in order.
    Expected<void> find_order(MultisplitCheck& check, std::uint32_t bucket) const {
        std::uint64_t index = check.starts[bucket];
        return for_each_block(
            input_, [&](std::uint64_t first, std::span<Word const> images) -> Expected<bool> {
                auto const labels = labels_of(evaluator_, images, first);
                auto const count = static_cast<std::size_t>(std::ranges::count(labels, bucket));
                std::vector<Word> there(count);
                KEYSWAP_RETURN_IF_ERROR(
                    output_.read(index, std::as_writable_bytes(std::span(there))));
                auto next = there.begin();
                for (std::size_t i = 0; i < images.size(); ++i) {
                    if (labels[i] != bucket) {
                        continue;
                    }
                    Word const image = image_by(rule_, *next++);
                    if (image != images[i]) {
                        check.unstable = {bucket, index, text(image), text(images[i])};
                        return false;
                    }
                    ++index;
                }
                return true;
            });
    }

    std::string text(Word image) const {
        return shown_key(input_.key_type(), key_by(rule_, image));
    }

    StoredKeys const& input_;
    StoredKeys const& output_;
    MultisplitExpectation const& promise_;
    BucketEvaluator evaluator_;
    ImageRule<Word> rule_;
    HashSeed seed_ = process_hash_seed();
};

} // namespace

Expected<MultisplitCheck> check_multisplit(StoredKeys const& input,
                                           StoredKeys const& output,
                                           MultisplitExpectation const& promise) {
    KEYSWAP_EXPECTS(input.key_type() == output.key_type());
    auto check = with_image_type(input.key_type(), [&]<class Word>(Word) {
        return MultisplitChecker<Word>(input, output, promise).check();
    });
    KEYSWAP_RETURN_IF_ERROR(input.unchanged());
    KEYSWAP_RETURN_IF_ERROR(output.unchanged());
    return check;
}

std::vector<std::string> sentences(MultisplitCheck const& check) {
    auto const number = [](std::uint64_t value) { return std::to_string(value); };
    auto const counted = [](std::uint64_t count, char const* noun) {
        return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
    };
    std::vector<std::string> all;
    if (check.input_count != check.output_count) {
        all.push_back("The input has " + counted(check.input_count, "key") +
                      ", and the output has " + number(check.output_count) + ".");
    }
    if (check.wrong_start_count) {
        all.push_back((*check.wrong_start_count == 1 ? "There is " : "There are ") +
                      counted(*check.wrong_start_count, "start") + " for " +
                      counted(check.starts.size(), "bucket") + ".");
    }
    if (check.wrong_start) {
        all.push_back("Bucket " + number(check.wrong_start->bucket) + " starts at " +
                      number(check.wrong_start->right) + ", and not at " +
                      number(check.wrong_start->promised) + ".");
    }
    if (check.misplaced) {
        all.push_back("Key " + check.misplaced->key + " at index " +
                      number(check.misplaced->index) + " belongs to bucket " +
                      number(check.misplaced->bucket) + ", and keys of bucket " +
                      number(check.misplaced->place_bucket) + " should be there.");
    }
    if (!check.permutation && check.values.empty()) {
        all.emplace_back("Keys were lost, doubled or changed.");
    }
    for (ValueFinding const& value : check.values) {
        all.push_back("Value " + value.key + ": " + number(value.in_input) + " in the input, " +
                      number(value.in_output) + " in the output.");
    }
    if (check.wrong_bucket && !check.misplaced) {
        all.push_back("Bucket " + number(*check.wrong_bucket) + " holds keys of other buckets.");
    }
    if (check.unstable) {
        all.push_back("Bucket " + number(check.unstable->bucket) +
                      " is not in input order, first at index " + number(check.unstable->index) +
                      ": key " + check.unstable->key + " is there, and the input's next is " +
                      check.unstable->key_in_order + ".");
    }
    if (all.empty()) {
        all.push_back("The output holds the input's " + counted(check.input_count, "key") +
                      " in the order of their " + counted(check.starts.size(), "bucket") + ".");
    }
    return all;
}

} // namespace keyswap::model
