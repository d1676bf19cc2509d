#include "model/partition/label_column.hpp"

#include "model/key_files/key_file.hpp"
#include "model/key_files/opened_key_bytes.hpp"
#include "model/partition/bucket_rule.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/open_bytes.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace keyswap::model {

namespace {

using Column = std::vector<std::uint32_t>;

/// Width in bytes of a number in a raw file; 4 if the file size does not determine it.
std::size_t raw_width(std::filesystem::path const& path, std::uint64_t count) {
    std::error_code error;
    std::uint64_t const size = std::filesystem::file_size(path, error);
    bool const is_plain = uncompressed_name(path) == path;
    bool const is_known = !error && count > 0 && is_plain &&
                          format_of_name(path) == KeyFileFormat::raw && size % count == 0;
    std::uint64_t const width = is_known ? size / count : 0;
    return width == 1 || width == 2 ? static_cast<std::size_t>(width) : sizeof(std::uint32_t);
}

/// A file of one-byte or two-byte numbers, positioned at the first.
struct NarrowNumbers {
    std::unique_ptr<ByteSource> bytes;
    std::size_t width = 1;
};

/// nullopt for files with wider numbers or text.
Expected<std::optional<NarrowNumbers>> open_narrow(std::filesystem::path const& path,
                                                   std::uint64_t count) {
    NarrowNumbers numbers{nullptr, raw_width(path, count)};
    bool const npy = format_of_name(path) == KeyFileFormat::npy;
    if (!npy && numbers.width == sizeof(std::uint32_t)) {
        return std::nullopt;
    }
    KEYSWAP_TRY(auto opened, open_key_bytes(path, std::nullopt));
    if (opened.format == KeyFileFormat::csv || (opened.format == KeyFileFormat::npy) != npy) {
        return std::nullopt; // content takes precedence over the file name
    }
    numbers.bytes = std::move(opened.bytes);
    if (npy) {
        auto const header = read_npy_header_text(*numbers.bytes, path.string());
        KEYSWAP_TRY(auto const array,
                    header ? parse_npy_array(*header, path.string())
                           : tl::unexpected(header.error()));
        if (array.descriptor != "|u1" && array.descriptor != "<u2") {
            return std::nullopt;
        }
        numbers.width = array.descriptor == "|u1" ? 1 : 2;
    }
    return numbers;
}

/// Reads at most count + 1 numbers.
Expected<Column> read_narrow(NarrowNumbers const& numbers, std::uint64_t count) {
    Column labels;
    std::array<char, 8192> block{};
    std::size_t held = 0; // bytes in the block; an incomplete number remains for the next read
    while (labels.size() <= count) {
        KEYSWAP_TRY(auto const read, numbers.bytes->read(std::span(block).subspan(held)));
        if (read == 0) {
            break;
        }
        held += read;
        std::size_t used = 0;
        for (; used + numbers.width <= held && labels.size() <= count; used += numbers.width) {
            auto const low = static_cast<unsigned char>(block[used]);
            auto const high = static_cast<unsigned char>(block[used + numbers.width - 1]);
            labels.push_back(numbers.width == 1 ? low : low + 256U * high);
        }
        std::copy(block.begin() + used, block.begin() + held, block.begin());
        held -= used;
    }
    return labels;
}

/// Reads four-byte numbers or text. Stops within one block after `count`, so that a longer file
/// is detected without reading all of it.
Expected<Column>
read_words(std::filesystem::path const& path, std::uint64_t count, std::uint64_t& header_lines) {
    KeyFileOptions options{std::nullopt, KeyType::u32};
    options.type_of = "labels";
    KEYSWAP_TRY(auto const reader, open_key_file(path, options));
    if (reader->key_type() != KeyType::u32) {
        return tl::unexpected(
            InputError{path.string(),
                       "holds " + std::string(to_string(reader->key_type())) + " numbers",
                       "give labels as u1, u2 or u4, raw of 1, 2 or 4 bytes, or as text"});
    }
    Column labels;
    std::array<std::uint32_t, 4096> block{};
    while (labels.size() <= count) {
        KEYSWAP_TRY(auto const read, reader->read(std::as_writable_bytes(std::span(block))));
        if (read == 0) {
            break;
        }
        labels.insert(labels.end(), block.begin(), block.begin() + read);
        if (labels.size() > limit_of(Limit::memory) / sizeof(labels[0])) {
            return tl::unexpected(
                beyond_limit(Limit::memory,
                             path.string(),
                             "has more than " + std::to_string(labels.size()) + " labels"));
        }
    }
    header_lines = reader->header() ? 1 : 0;
    return labels;
}

} // namespace

Expected<Column> read_label_column(std::filesystem::path const& path,
                                   std::uint64_t label_count,
                                   std::uint32_t limit) {
    KEYSWAP_TRY(auto const narrow, open_narrow(path, label_count));
    std::uint64_t header_lines = 0;
    auto labels =
        narrow ? read_narrow(*narrow, label_count) : read_words(path, label_count, header_lines);
    if (!labels) {
        return labels;
    }
    auto const wrong =
        std::ranges::find_if(*labels, [limit](std::uint32_t label) { return label >= limit; });
    if (wrong != labels->end()) {
        std::uint64_t const place = static_cast<std::uint64_t>(wrong - labels->begin()) + 1;
        bool const text = format_of_name(path) == KeyFileFormat::csv;
        return input_error(
            path.string() + ":" +
                (text ? std::to_string(place + header_lines) : "key " + std::to_string(place)),
            "label " + std::to_string(*wrong) + " is not below the " + std::to_string(limit) +
                " buckets",
            "correct the label, or give more " + setting("buckets") + " (at most " +
                std::to_string(bucket_count_max) + ")");
    }
    return labels;
}

SequenceDigest label_digest(std::span<std::uint32_t const> labels) {
    SequenceDigest digest;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        digest += digest_at(i, digest_of(labels[i]));
    }
    return digest;
}

} // namespace keyswap::model
