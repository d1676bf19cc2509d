#include "model/partition/label_column.hpp"

#include "model/keys/key_file.hpp"
#include "model/partition/bucket_rule.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

namespace keyswap::model {

namespace {

using Column = std::vector<std::uint32_t>;

/// Bytes of a number of a raw file; 4 where its size does not tell.
std::size_t raw_width(std::filesystem::path const& path, std::uint64_t count) {
    std::error_code error;
    std::uint64_t const size = std::filesystem::file_size(path, error);
    bool const tells =
        !error && count > 0 && format_of_name(path) == KeyFileFormat::raw && size % count == 0;
    std::uint64_t const width = tells ? size / count : 0;
    return width == 1 || width == 2 ? static_cast<std::size_t>(width) : sizeof(std::uint32_t);
}

/// Numbers of one or two bytes.
Expected<Column> read_narrow(std::filesystem::path const& path, std::size_t width, std::size_t n) {
    std::vector<unsigned char> bytes(width * n);
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) {
        return tl::unexpected(
            InputError{path.string(), "cannot be read", "check the file and its permissions"});
    }
    Column labels(n);
    for (std::size_t i = 0; i < n; ++i) {
        labels[i] = bytes[width * i] + (width == 2 ? 256U * bytes[2 * i + 1] : 0U);
    }
    return labels;
}

/// Numbers of four bytes, or text. One more than asked for is read at most, so that a longer file
/// is noticed and takes no memory.
Expected<Column>
read_words(std::filesystem::path const& path, std::uint64_t count, std::uint64_t& heading_lines) {
    auto const reader = open_key_file(path, {std::nullopt, KeyType::u32});
    if (!reader) {
        return tl::unexpected(reader.error());
    }
    if ((*reader)->key_type() != KeyType::u32) {
        return tl::unexpected(
            InputError{path.string(),
                       "holds " + std::string(to_string((*reader)->key_type())) + " numbers",
                       "give labels as u4, or raw of 1, 2 or 4 bytes, or as text"});
    }
    Column labels;
    std::array<std::uint32_t, 4096> block{};
    while (labels.size() <= count) {
        auto const read = (*reader)->read(std::as_writable_bytes(std::span(block)));
        if (!read) {
            return tl::unexpected(read.error());
        }
        if (*read == 0) {
            break;
        }
        labels.insert(labels.end(), block.begin(), block.begin() + *read);
        if (labels.size() > limit_of(Limit::memory) / sizeof(labels[0])) {
            return tl::unexpected(
                beyond_limit(Limit::memory,
                             path.string(),
                             "has more than " + std::to_string(labels.size()) + " labels"));
        }
    }
    heading_lines = (*reader)->heading() ? 1 : 0;
    return labels;
}

} // namespace

Expected<Column> read_label_column(std::filesystem::path const& path,
                                   std::uint64_t label_count,
                                   std::uint32_t limit) {
    std::size_t const width = raw_width(path, label_count);
    std::uint64_t heading_lines = 0;
    auto labels = width < sizeof(std::uint32_t) ? read_narrow(path, width, label_count)
                                                : read_words(path, label_count, heading_lines);
    if (!labels) {
        return labels;
    }
    auto const wrong =
        std::ranges::find_if(*labels, [limit](std::uint32_t label) { return label >= limit; });
    if (wrong != labels->end()) {
        std::uint64_t const place = static_cast<std::uint64_t>(wrong - labels->begin()) + 1;
        bool const text = format_of_name(path) == KeyFileFormat::csv;
        return tl::unexpected(InputError{
            path.string() + ":" +
                (text ? std::to_string(place + heading_lines) : "key " + std::to_string(place)),
            "label " + std::to_string(*wrong) + " is not below the " + std::to_string(limit) +
                " buckets",
            "correct the label, or give more --buckets (at most " +
                std::to_string(bucket_count_max) + ")"});
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
