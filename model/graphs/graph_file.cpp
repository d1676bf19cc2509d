#include "model/graphs/graph_file.hpp"

#include "model/graphs/drawn_weights.hpp"
#include "model/key_files/opened_key_bytes.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/errors/lower_case.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/byte_order_mark.hpp"
#include "traces/format/open_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace keyswap::model {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t line_bytes_max = 4096; ///< MatrixMarket allows 1,024
/// Memory of a search: offsets, twice during construction; then distances and pending vertices.
constexpr std::uint64_t vertex_bytes = 32;
constexpr std::uint64_t edge_bytes = 24; ///< in the edge list and in CSR format

using Words = std::vector<std::string_view>;

Words words_of(std::string_view line) {
    Words words;
    while (true) {
        std::size_t const begin = line.find_first_not_of(" \t\r");
        if (begin == std::string_view::npos) {
            return words;
        }
        std::size_t const end = std::min(line.find_first_of(" \t\r", begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        line.remove_prefix(end);
    }
}

/// Parses a weight: a non-negative integer, possibly written as a real number.
std::optional<std::uint32_t> weight_of(std::string_view text) {
    auto const value = parsed_number<double>(text);
    bool const is_weight = value && *value >= 0 &&
                           *value <= std::numeric_limits<std::uint32_t>::max() &&
                           *value == std::floor(*value);
    return is_weight ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

/// Reads lines and counts them for error messages.
class Lines {
  public:
    Lines(std::unique_ptr<ByteSource> bytes, std::string name)
        : name_(std::move(name)), bytes_(std::move(bytes)) {}

    [[nodiscard]] std::string const& name() const { return name_; }

    /// The next line, valid until the next call; nullopt at the end.
    Expected<std::optional<std::string_view>> line() {
        ++line_;
        while (true) {
            std::size_t const end = buffer_.find('\n', position_);
            if (std::min(end, buffer_.size()) - position_ > line_bytes_max) {
                return tl::unexpected(
                    error("is longer than " + std::to_string(line_bytes_max) + " bytes",
                          "check that it is a graph file"));
            }
            if (end != std::string::npos) {
                auto const begin = std::exchange(position_, end + 1);
                return without_mark(std::string_view(buffer_).substr(begin, end - begin));
            }
            buffer_.erase(0, position_);
            position_ = 0;
            std::size_t const filled = buffer_.size();
            buffer_.resize(filled + block_bytes);
            auto const count = bytes_->read(std::span(buffer_).subspan(filled));
            buffer_.resize(filled + count.value_or(0));
            KEYSWAP_RETURN_IF_ERROR(count);
            if (*count == 0 && buffer_.empty()) {
                return std::nullopt;
            }
            if (*count == 0) {
                position_ = buffer_.size();
                return without_mark(buffer_);
            }
        }
    }

    /// The words of the next line that is neither empty nor a comment; nullopt at the end.
    /// \param comment first letter of comment lines
    Expected<std::optional<Words>> next(char comment) {
        while (true) {
            KEYSWAP_TRY(auto const text, line());
            if (!text) {
                return std::optional<Words>();
            }
            Words words = words_of(*text);
            // A DIMACS comment is a line with the first word "c".
            bool const is_comment = !words.empty() && words.front().front() == comment &&
                                    (comment != 'c' || words.front().size() == 1);
            if (!words.empty() && !is_comment) {
                return std::optional(std::move(words));
            }
        }
    }

    [[nodiscard]] InputError error(std::string problem, std::string remedy) const {
        return {name_ + ":" + std::to_string(line_), std::move(problem), std::move(remedy)};
    }

  private:
    static constexpr std::size_t block_bytes = std::size_t{1} << 16;

    /// Removes a byte order mark from the first line of the file.
    [[nodiscard]] std::string_view without_mark(std::string_view line) const {
        return line_ == 1 ? without_byte_order_mark(line) : line;
    }

    std::string name_;
    std::unique_ptr<ByteSource> bytes_;
    std::uint64_t line_ = 0;
    std::string buffer_;
    std::size_t position_ = 0; ///< of the next line in the buffer
};

struct SizeLine {
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;
};

Expected<SizeLine>
size_line(Lines const& lines, std::string_view vertices, std::string_view edges) {
    auto const vertex_count = parsed_number<std::uint64_t>(vertices);
    auto const edge_count = parsed_number<std::uint64_t>(edges);
    if (!vertex_count || !edge_count || *vertex_count < 1 || *vertex_count > vertex_count_max) {
        return tl::unexpected(
            lines.error("has no usable number of vertices and edges",
                        "give 1 to " + std::to_string(vertex_count_max) + " vertices"));
    }
    std::uint64_t const memory_bytes = limit_of(Limit::memory);
    if (*edge_count > memory_bytes / edge_bytes ||
        *vertex_count * vertex_bytes + *edge_count * edge_bytes > memory_bytes) {
        return tl::unexpected(beyond_limit(Limit::memory,
                                           lines.error("", "").subject,
                                           std::string(vertices) + " vertices and " +
                                               std::string(edges) + " edges take " +
                                               std::to_string(vertex_bytes) + " and " +
                                               std::to_string(edge_bytes) + " bytes each"));
    }
    return SizeLine{*vertex_count, *edge_count};
}

/// Parses an end point: 1-based in files, 0-based here.
Expected<std::uint32_t> vertex(Lines const& lines, std::string_view text, std::uint64_t count) {
    auto const number = parsed_number<std::uint64_t>(text);
    if (!number || *number < 1 || *number > count) {
        return tl::unexpected(lines.error("'" + std::string(text.substr(0, 40)) +
                                              "' is not a vertex of 1 to " + std::to_string(count),
                                          "number the vertices from 1"));
    }
    return static_cast<std::uint32_t>(*number - 1);
}

Expected<Edge>
edge_of(Lines const& lines, std::string_view from, std::string_view to, std::uint64_t vertices) {
    KEYSWAP_TRY(auto const first, vertex(lines, from, vertices));
    KEYSWAP_TRY(auto const second, vertex(lines, to, vertices));
    return Edge{first, second, 0};
}

Expected<void> set_weight(Lines const& lines, std::string_view text, Edge& edge) {
    auto const weight = weight_of(text);
    if (!weight) {
        return tl::unexpected(
            lines.error("'" + std::string(text.substr(0, 40)) + "' is not a weight",
                        "give whole numbers of 0 to 4294967295"));
    }
    edge.weight = *weight;
    return {};
}

InputError cut_short(Lines const& lines, std::uint64_t found, std::uint64_t promised) {
    return {lines.name(),
            "ends after " + std::to_string(found) + " of " + std::to_string(promised) + " edges",
            "check that the file is complete"};
}

struct MatrixKind {
    bool pattern = false;
    bool symmetric = false;
};

Expected<MatrixKind> matrix_kind(Lines& lines) {
    KEYSWAP_TRY(auto const first, lines.line());
    std::string lower;
    for (std::string_view const word : words_of(first.value_or(""))) {
        lower += lower_case(word) + ' ';
    }
    for (bool const pattern : {false, true}) {
        for (std::string const field : {"pattern", "integer", "real"}) {
            for (std::string const symmetry : {"general", "symmetric"}) {
                if (pattern == (field == "pattern") &&
                    lower == "%%matrixmarket matrix coordinate " + field + " " + symmetry + " ") {
                    return MatrixKind{pattern, symmetry == "symmetric"};
                }
            }
        }
    }
    return tl::unexpected(
        lines.error("is not a header of a coordinate matrix of weights",
                    "begin with '%%MatrixMarket matrix coordinate integer general' (or pattern or "
                    "real; or symmetric)"));
}

Expected<EdgeList> read_matrix(Lines& lines, std::uint64_t seed) {
    KEYSWAP_TRY(auto const kind, matrix_kind(lines));
    KEYSWAP_TRY(auto const sizes, lines.next('%'));
    if (!sizes || sizes->size() != 3 || (*sizes)[0] != (*sizes)[1]) {
        return tl::unexpected(lines.error("is not a size line of a square matrix",
                                          "give ROWS COLUMNS ENTRIES with ROWS = COLUMNS"));
    }
    KEYSWAP_TRY(auto const size, size_line(lines, (*sizes)[0], (*sizes)[2]));
    DrawnWeights const drawn(seed);
    EdgeList list{size.vertices, {}, kind.pattern ? DrawnParts::weights : DrawnParts::nothing};
    std::size_t const word_count = kind.pattern ? 2 : 3;
    for (std::uint64_t entry = 0; entry < size.edges; ++entry) {
        KEYSWAP_TRY(auto const words, lines.next('%'));
        if (!words) {
            return tl::unexpected(cut_short(lines, entry, size.edges));
        }
        if (words->size() != word_count) {
            return tl::unexpected(
                lines.error("has " + std::to_string(words->size()) + " words in place of " +
                                std::to_string(word_count),
                            "give ROW COLUMN" + std::string(kind.pattern ? "" : " WEIGHT")));
        }
        KEYSWAP_TRY(auto edge, edge_of(lines, (*words)[0], (*words)[1], size.vertices));
        if (kind.pattern) {
            edge.weight = drawn.of(entry);
        } else {
            KEYSWAP_RETURN_IF_ERROR(set_weight(lines, (*words)[2], edge));
        }
        list.edges.push_back(edge);
        if (kind.symmetric && edge.from != edge.to) {
            list.edges.push_back({edge.to, edge.from, edge.weight});
        }
    }
    KEYSWAP_TRY(auto const more, lines.next('%'));
    if (more) {
        return tl::unexpected(
            lines.error("is one entry more than the " + std::to_string(size.edges) +
                            " that the size line announces",
                        "check that the file is complete and its size line correct"));
    }
    return list;
}

Expected<EdgeList> read_dimacs(Lines& lines) {
    EdgeList list{0, {}, DrawnParts::nothing};
    std::uint64_t promised = 0;
    while (true) {
        KEYSWAP_TRY(auto const words, lines.next('c'));
        if (!words) {
            break;
        }
        Words const& line = *words;
        if (line[0] == "p" && line.size() == 4 && line[1] == "sp" && list.vertex_count == 0) {
            KEYSWAP_TRY(auto const size, size_line(lines, line[2], line[3]));
            list.vertex_count = size.vertices;
            promised = size.edges;
        } else if (line[0] == "a" && line.size() == 4 && list.edges.size() < promised) {
            KEYSWAP_TRY(auto edge, edge_of(lines, line[1], line[2], list.vertex_count));
            KEYSWAP_RETURN_IF_ERROR(set_weight(lines, line[3], edge));
            list.edges.push_back(edge);
        } else if (line[0] == "a" && line.size() == 4 && list.vertex_count > 0) {
            return tl::unexpected(lines.error(
                "is one edge more than the " + std::to_string(promised) + " of the line 'p sp'",
                "check that the file is complete and that line correct"));
        } else {
            return tl::unexpected(lines.error(
                "is not 'c COMMENT', the one 'p sp VERTICES EDGES' or 'a FROM TO WEIGHT'",
                "check that it is a DIMACS shortest-path file"));
        }
    }
    if (list.vertex_count == 0) {
        return input_error(
            lines.name(), "has no line 'p sp VERTICES EDGES'", "check that it is a .gr file");
    }
    if (list.edges.size() != promised) {
        return tl::unexpected(cut_short(lines, list.edges.size(), promised));
    }
    return list;
}

} // namespace

Expected<EdgeList> read_graph_file(fs::path const& path, std::uint64_t seed) {
    std::string const ending = lower_ending(uncompressed_name(path));
    bool const matrix = ending == ".mtx";
    if (!matrix && ending != ".gr") {
        return input_error(
            setting("graph", path.string()), "is not a graph", "give " + std::string(graph_forms));
    }
    KEYSWAP_TRY(auto bytes, open_bytes(path));
    Lines lines(std::move(bytes), path.string());
    return matrix ? read_matrix(lines, seed) : read_dimacs(lines);
}

} // namespace keyswap::model
