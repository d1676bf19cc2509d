#include "model/partition/bucket_rule_text.hpp"

#include "model/key_files/key_file.hpp"
#include "model/keys/key_order.hpp"
#include "model/keys/key_text.hpp"
#include "model/partition/bucket_rule.hpp"
#include "model/partition/label_column.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string>

namespace keyswap::model {

namespace {

namespace fs = std::filesystem;

tl::unexpected<InputError> refused(std::string_view rule, std::string problem, std::string remedy) {
    return input_error(setting("rule", rule), std::move(problem), std::move(remedy));
}

KeyImage image_of_bytes(std::span<std::byte const> bytes, KeyType type) {
    return with_key_type(type, [&]<class T>(T key) {
        std::memcpy(&key, bytes.data(), sizeof(T));
        return key_image(image_of(key));
    });
}

Expected<ParsedFunction> digit_rule(std::string_view text, std::string_view numbers) {
    std::size_t const colon = std::min(numbers.find(':'), numbers.size());
    auto const shift = parsed_number<std::uint64_t>(numbers.substr(0, colon));
    auto const bits =
        parsed_number<std::uint64_t>(numbers.substr(std::min(colon + 1, numbers.size())));
    if (!shift || !bits || *shift > 127 || *bits < 1 || *bits > 20) {
        return refused(text,
                       "needs a shift below 128 and 1 to 20 bits",
                       "give digit:SHIFT:BITS, such as digit:24:8; at most 20 bits");
    }
    return ParsedFunction{digit_function(static_cast<int>(*shift), static_cast<int>(*bits)), {}};
}

Expected<ParsedFunction> splitter_rule(std::string_view file, KeyType type) {
    KEYSWAP_TRY(auto images, read_ascending_keys(fs::path(file), type, "splitter"));
    SplitterBuckets splitters;
    splitters.equality.assign(images.size(), false);
    splitters.splitters = std::move(images);
    return ParsedFunction{splitter_function(std::move(splitters)), {}};
}

Expected<ParsedFunction>
label_rule(std::string_view file, std::optional<std::uint32_t> buckets, std::uint64_t key_count) {
    fs::path const path(file);
    KEYSWAP_TRY(auto labels,
                read_label_column(path, key_count, buckets.value_or(bucket_count_max)));
    if (labels.size() != key_count) {
        bool const more = labels.size() > key_count;
        return input_error(
            path.string(),
            "has " +
                (more ? "more than " + std::to_string(key_count) : std::to_string(labels.size())) +
                " labels for " + std::to_string(key_count) + " keys",
            "give one label per key");
    }
    std::uint32_t const largest = labels.empty() ? 0 : *std::ranges::max_element(labels);
    LabelBuckets rule{label_digest(labels), path.string()};
    return ParsedFunction{{buckets.value_or(largest + 1), std::move(rule)}, std::move(labels)};
}

Expected<ParsedFunction> function_of(std::string_view text,
                                     KeyType type,
                                     std::optional<std::uint32_t> buckets,
                                     std::uint64_t key_count) {
    std::size_t const colon = text.find(':');
    std::string_view const name = text.substr(0, colon);
    std::string_view const rest =
        colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    if ((name == "splitters" || name == "labels") && rest.empty()) {
        return refused(text, "needs a file", "give " + std::string(name) + ":FILE");
    }
    if ((name == "delta" || name == "hash") && !buckets) {
        return refused(text, "needs the number of buckets", "give " + setting("buckets"));
    }
    if (text == "delta") {
        return ParsedFunction{delta_function(key_bits(type), std::max(1U, *buckets)), {}};
    }
    if (name == "digit") {
        return digit_rule(text, rest);
    }
    if (name == "splitters") {
        return splitter_rule(rest, type);
    }
    if (text == "prime") {
        if (type != KeyType::u32 && type != KeyType::u64) {
            return refused(text,
                           "tests numbers without a sign, of 32 or 64 bits, and the keys are " +
                               std::string(to_string(type)),
                           "convert the keys to u32 or u64");
        }
        return ParsedFunction{{2, PrimeBuckets{}}, {}};
    }
    if (name == "hash") {
        auto const seed = parsed_number<std::uint64_t>(rest);
        if (!seed) {
            return refused(text, "needs a whole number as seed", "give hash:SEED, such as hash:1");
        }
        return ParsedFunction{{*buckets, HashBuckets{*seed}}, {}};
    }
    if (name == "labels") {
        return label_rule(rest, buckets, key_count);
    }
    return refused(text, "is not a rule", "give " + std::string(bucket_rule_forms));
}

} // namespace

Expected<std::vector<KeyImage>>
read_ascending_keys(fs::path const& path, KeyType key_type, std::string_view what) {
    KeyFileOptions options{std::nullopt, key_type};
    options.type_of = "the keys of the run";
    KEYSWAP_TRY(auto const reader, open_key_file(path, options));
    std::size_t const key_bytes = key_size_bytes(key_type);
    std::vector<std::byte> block(key_bytes << 12);
    std::vector<KeyImage> images;
    while (true) {
        KEYSWAP_TRY(auto const count, reader->read(block));
        if (count == 0) {
            return images;
        }
        for (std::size_t i = 0; i < count; ++i) {
            auto const key = std::span(block).subspan(i * key_bytes, key_bytes);
            KeyImage const image = image_of_bytes(key, key_type);
            if (!images.empty() && !(images.back() < image)) {
                bool const same = images.back() == image;
                std::size_t const number = images.size() + 1;
                std::string const place =
                    format_of_name(path) == KeyFileFormat::csv
                        ? "row " + std::to_string(number + (reader->header() ? 1 : 0))
                        : "key " + std::to_string(number);
                return tl::unexpected(
                    InputError{path.string() + ", " + place,
                               std::string(what) + " " + key_text(key_type, key) +
                                   (same ? " appears twice" : " is smaller than the one before"),
                               "sort the file and keep each " + std::string(what) + " once"});
            }
            images.push_back(image);
            if (images.size() > bucket_count_max) {
                return tl::unexpected(
                    InputError{path.string(),
                               "has more than " + std::to_string(bucket_count_max) + " keys",
                               "use fewer; is this the file of all keys?"});
            }
        }
    }
}

Expected<ParsedFunction> parse_bucket_rule(std::string_view text,
                                           KeyType key_type,
                                           std::optional<std::uint32_t> buckets,
                                           std::uint64_t key_count) {
    if (buckets && (*buckets < 1 || *buckets > bucket_count_max)) {
        return input_error(setting("buckets"),
                           std::to_string(*buckets) + " is out of range",
                           "give 1 to " + std::to_string(bucket_count_max));
    }
    auto given = function_of(text, key_type, buckets, key_count);
    if (!given) {
        return given;
    }
    if (buckets && given->function.buckets != *buckets) {
        return input_error(setting("buckets") + " and " + setting("rule", text),
                           "the rule has " + std::to_string(given->function.buckets) +
                               " buckets, not " + std::to_string(*buckets),
                           "leave " + setting("buckets") + " out");
    }
    KEYSWAP_RETURN_IF_ERROR(
        validated(given->function, key_bits(key_type)).map_error(about(setting("rule", text))));
    return given;
}

} // namespace keyswap::model
