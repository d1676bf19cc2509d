#include "model/check/output_check.hpp"

#include "model/buckets/chunks.hpp"
#include "model/check/cause_tests.hpp"
#include "model/check/shown_key.hpp"
#include "model/key_files/key_blocks.hpp"
#include "model/keys/key_order.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

namespace keyswap::model {

namespace {

/// Both files and the options of their check.
template <class Word>
struct Checked : ComparedFiles<Word> {
    Direction direction;
    std::optional<std::uint32_t> gpu_count;
    std::function<void(std::uint64_t, std::uint64_t)> const& on_keys_read;

    void report_read(std::uint64_t key_count) const {
        if (on_keys_read) {
            on_keys_read(key_count, this->input.key_count() + this->output.key_count());
        }
    }
};

/// Result of reading one file.
struct Scan {
    Fingerprint fingerprint;
    Steps steps;
    std::uint64_t first_unsorted = std::numeric_limits<std::uint64_t>::max();

    void add(Scan const& other) {
        fingerprint += other.fingerprint;
        steps.rising += other.steps.rising;
        steps.falling += other.steps.falling;
        first_unsorted = std::min(first_unsorted, other.first_unsorted);
    }
};

template <class Word>
Expected<Scan> scan(StoredKeys const& keys, Checked<Word> const& checked) {
    KEYSWAP_TRY(auto const states,
                visit_blocks<Word>(
                    keys,
                    checked.thread_count,
                    Scan{},
                    [&checked, &rule = checked.rule](
                        Scan& state, std::uint64_t first, std::span<Word const> words) {
                        std::size_t const before = first > 0 ? 1 : 0;
                        Scan block{fingerprint_of_keys(words.subspan(before), rule, checked.seed),
                                   steps_of_keys(words, rule)};
                        if (block.steps.falling > 0 && first < state.first_unsorted) {
                            std::size_t i = 1;
                            while (order_by(rule, words[i - 1]) <= order_by(rule, words[i])) {
                                ++i;
                            }
                            block.first_unsorted = first - before + i;
                        }
                        state.add(block);
                        checked.report_read(words.size() - before);
                    }));
    Scan sum;
    for (Scan const& state : states) {
        sum.add(state);
    }
    return sum;
}

template <class Word>
Expected<Fingerprint> fingerprint_file(StoredKeys const& keys, Checked<Word> const& checked) {
    return sum_blocks<Word>(keys,
                            checked.thread_count,
                            Fingerprint{},
                            [&checked](Fingerprint& fingerprint, std::span<Word const> words) {
                                fingerprint +=
                                    fingerprint_of_keys(words, checked.rule, checked.seed);
                                checked.report_read(words.size());
                            });
}

/// The GPU, other than the first, whose ideal chunk starts at this index; nullopt if none does.
std::optional<std::uint32_t> chunk_beginning_at(std::uint64_t index,
                                                std::uint64_t key_count,
                                                std::optional<std::uint32_t> gpus) {
    if (!gpus || index >= key_count) {
        return std::nullopt;
    }
    Chunks const chunks(key_count, *gpus);
    return index % chunks.size() == 0 ? std::optional(chunks.owner_of(index).value) : std::nullopt;
}

template <class Word>
Expected<OrderFinding> find_order(Checked<Word> const& checked, Scan const& output) {
    std::uint64_t const key_count = checked.output.key_count();
    OrderFinding finding;
    finding.sorted_runs = key_count == 0 ? 0 : output.steps.falling + 1;
    if (output.steps.falling == 0) {
        return finding;
    }
    std::uint64_t const index = output.first_unsorted;
    KEYSWAP_TRY(auto const first, checked.output.template key<Word>(0));
    KEYSWAP_TRY(auto const last, checked.output.template key<Word>(key_count - 1));
    KEYSWAP_TRY(auto const before, checked.output.template key<Word>(index - 1));
    KEYSWAP_TRY(auto const at, checked.output.template key<Word>(index));
    finding.first_unsorted = index;
    finding.chunk = chunk_beginning_at(index, key_count, checked.gpu_count);
    auto const begins = checked.output.file_begins();
    auto const begin = std::ranges::find(begins, index);
    if (index > 0 && begin != begins.end()) {
        finding.part = static_cast<std::size_t>(begin - begins.begin());
    }
    finding.key_before = shown_key(checked.output.key_type(), before);
    finding.key_at = shown_key(checked.output.key_type(), at);
    bool const wraps = order_by(checked.rule, last) <= order_by(checked.rule, first);
    if (output.steps.rising == 0) {
        finding.shape = OrderShape::reversed;
    } else if (output.steps.falling == 1 && wraps) {
        finding.shape = OrderShape::rotated;
    } else {
        finding.shape = OrderShape::unsorted;
    }
    return finding;
}

template <class Word>
std::string text_of_image(Checked<Word> const& checked, uint128 image) {
    return shown_key(checked.input.key_type(), key_by(checked.rule, static_cast<Word>(image)));
}

/// \param expected_between output keys between a side's ends if a whole block is missing or surplus
template <class Word>
std::optional<ContentFinding> find_content(Checked<Word> const& checked,
                                           DifferenceSide const& side,
                                           std::uint64_t expected_between,
                                           bool exact) {
    if (!side.lowest) {
        return std::nullopt;
    }
    ContentFinding finding;
    finding.key_count = side.key_count;
    finding.exact = exact;
    finding.from = text_of_image(checked, side.lowest->image);
    finding.to = text_of_image(checked, side.highest->image);
    finding.sorted_index = side.input_below;
    if (checked.direction == Direction::descending) {
        std::swap(finding.from, finding.to);
        std::uint64_t const spanned =
            side.lowest->image == side.highest->image
                ? side.lowest->in_input
                : side.lowest->in_input + side.input_between + side.highest->in_input;
        finding.sorted_index = checked.input.key_count() - side.input_below - spanned;
    }
    bool const whole = side.lowest->image != side.highest->image && side.input_between > 0 &&
                       side.output_between == expected_between;
    if (whole) {
        // All keys in between are missing or surplus, which makes the ends and the count exact.
        auto const surplus = [](std::uint64_t a, std::uint64_t b) {
            return std::max(a, b) - std::min(a, b);
        };
        finding.key_count = surplus(side.input_between, side.output_between) +
                            surplus(side.lowest->in_input, side.lowest->in_output) +
                            surplus(side.highest->in_input, side.highest->in_output);
        finding.exact = true;
    }
    finding.shape = whole ? ContentShape::block : ContentShape::values;
    if (checked.gpu_count && finding.sorted_index < checked.input.key_count()) {
        Chunks const chunks(checked.input.key_count(), *checked.gpu_count);
        finding.gpu = chunks.owner_of(finding.sorted_index).value;
    }
    return finding;
}

/// Adds findings about lost and gained keys to the check and the symptoms.
template <class Word>
Expected<void> find_contents(Checked<Word> const& checked, OutputCheck& check, Symptoms& symptoms) {
    KEYSWAP_TRY(auto difference, multiset_difference<Word>(checked));
    check.lost = find_content(checked, difference.lost, 0, difference.complete);
    check.gained = find_content(
        checked, difference.gained, 2 * difference.gained.input_between, difference.complete);
    symptoms.difference = std::move(difference);
    auto values = symptoms.difference.values;
    if (checked.direction == Direction::descending) {
        std::ranges::reverse(values);
    }
    for (ValueCounts const& value : values) {
        if (check.values.size() < values_shown_max) {
            check.values.push_back(
                {text_of_image(checked, value.image), value.in_input, value.in_output});
        }
    }
    return {};
}

template <class Word>
Checked<Word> checked_files(StoredKeys const& input,
                            StoredKeys const& output,
                            OutputCheckOptions const& options) {
    return {{input,
             output,
             image_rule<Word>(
                 input.key_type(), options.direction, options.zero_order, options.nan_order),
             options.hash_seed ? HashSeed(*options.hash_seed) : process_hash_seed(),
             options.thread_count == 0 ? default_thread_count() : options.thread_count},
            options.direction,
            options.gpu_count,
            options.on_keys_read};
}

template <class Word>
Expected<OutputCheck>
check_words(StoredKeys const& input, StoredKeys const& output, OutputCheckOptions const& options) {
    auto const checked = checked_files<Word>(input, output, options);
    KEYSWAP_TRY(auto const input_fingerprint, fingerprint_file(input, checked));
    KEYSWAP_TRY(auto const output_scan, scan(output, checked));
    KEYSWAP_TRY(auto order, find_order(checked, output_scan));
    OutputCheck check;
    check.key_type = input.key_type();
    check.input_count = input.key_count();
    check.output_count = output.key_count();
    check.hash_seed = checked.seed.number();
    check.input_fingerprint = input_fingerprint;
    check.output_fingerprint = output_scan.fingerprint;
    check.order = std::move(order);
    if (check.holds()) {
        return check;
    }
    Symptoms symptoms{check.input_fingerprint,
                      check.output_fingerprint,
                      check.order.sorted_runs,
                      check.order.shape == OrderShape::reversed,
                      options.direction,
                      options.gpu_count,
                      {}};
    if (!check.permutation()) {
        KEYSWAP_RETURN_IF_ERROR(find_contents(checked, check, symptoms));
    }
    KEYSWAP_TRY(auto guess, guess_cause(CauseFiles<Word>{checked, symptoms}));
    check.guess = std::move(guess);
    return check;
}

} // namespace

Expected<OutputCheck>
check_keys(StoredKeys const& input, StoredKeys const& output, OutputCheckOptions const& options) {
    KEYSWAP_EXPECTS(input.key_type() == output.key_type());
    auto check = with_image_type(input.key_type(), [&]<class Word>(Word) {
        return check_words<Word>(input, output, options);
    });
    KEYSWAP_RETURN_IF_ERROR(input.unchanged());
    KEYSWAP_RETURN_IF_ERROR(output.unchanged());
    return check;
}

namespace {

/// Adds a hint to the error if the unreadable output has the size of keys in a narrower type.
InputError with_guessed_width(InputError error,
                              std::span<std::filesystem::path const> outputs,
                              KeyFileOptions const& options,
                              std::uint64_t key_count) {
    std::size_t const key_bytes = options.narrow_type ? narrow_size_bytes(*options.narrow_type)
                                                      : key_size_bytes(*options.key_type);
    std::uint64_t size_bytes = 0;
    bool holds_part_of_a_key = false;
    for (std::filesystem::path const& output : outputs) {
        std::error_code problem;
        std::uint64_t const output_bytes = std::filesystem::file_size(output, problem);
        bool const is_raw = options.format.value_or(format_of_name(output)) == KeyFileFormat::raw;
        if (problem || !is_raw || options.column) {
            return error;
        }
        size_bytes += output_bytes;
        holds_part_of_a_key = holds_part_of_a_key || output_bytes % key_bytes != 0;
    }
    if (!holds_part_of_a_key) {
        return error;
    }
    for (std::uint64_t const width : {1, 2, 4, 8}) {
        if (key_count > 0 && size_bytes == width * key_count) {
            error.problem += "; the input's " + std::to_string(key_count) + " keys would fill " +
                             (outputs.size() == 1 ? "it" : "all outputs") + " with " +
                             std::to_string(width) + (width == 1 ? " byte each" : " bytes each");
            error.remedy = "check whether they were written as a narrower type";
        }
    }
    return error;
}

} // namespace

Expected<OutputCheck> check_output(std::filesystem::path const& input_path,
                                   std::filesystem::path const& output_path,
                                   OutputCheckOptions const& options) {
    return check_outputs(std::span(&input_path, 1), std::span(&output_path, 1), options);
}

Expected<OutputCheck> check_outputs(std::span<std::filesystem::path const> inputs,
                                    std::span<std::filesystem::path const> outputs,
                                    OutputCheckOptions const& options) {
    KEYSWAP_EXPECTS(!options.gpu_count || *options.gpu_count > 0);
    KEYSWAP_TRY(auto const input, StoredKeys::open(inputs, options.input));
    KeyFileOptions const output_options = input.same_type(options.output);
    auto const output = StoredKeys::open(outputs, output_options);
    if (!output) {
        return tl::unexpected(
            with_guessed_width(output.error(), outputs, output_options, input.key_count()));
    }
    if (output->key_type() != input.key_type()) {
        return input_error(outputs.front().string(),
                           "holds " + std::string(to_string(output->key_type())) +
                               " keys, and the input " + std::string(to_string(input.key_type())),
                           "compare files of one type");
    }
    auto check = check_keys(input, *output, options);
    if (check) {
        check->narrow_type = input.narrow_type();
        check->headers = input.headers();
        std::ranges::copy(output->headers(), std::back_inserter(check->headers));
    }
    return check;
}

Expected<OrderCheck> check_order(std::span<std::filesystem::path const> paths,
                                 OutputCheckOptions const& options) {
    KEYSWAP_TRY(auto const keys, StoredKeys::open(paths, options.input));
    return check_order(keys, options);
}

Expected<OrderCheck> check_order(StoredKeys const& keys, OutputCheckOptions const& options) {
    KEYSWAP_TRY(auto order,
                with_image_type(keys.key_type(), [&]<class Word>(Word) -> Expected<OrderFinding> {
                    auto const checked = checked_files<Word>(keys, keys, options);
                    KEYSWAP_TRY(auto const scanned, scan(keys, checked));
                    return find_order(checked, scanned);
                }));
    KEYSWAP_RETURN_IF_ERROR(keys.unchanged());
    return OrderCheck{
        keys.key_type(), keys.narrow_type(), keys.key_count(), std::move(order), keys.headers()};
}

} // namespace keyswap::model
