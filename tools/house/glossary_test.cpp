// Clean folders contain no word of glossary.txt in names, comments, messages and documents; the
// other folders contain no more uses than listed here.

#include "tools/house/source_files.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keyswap::tools {
namespace {

namespace glossary_fs = std::filesystem;

using WordList = std::vector<std::string>;

/// Permitted uses of refused words in each folder. Lower a number whenever uses are removed.
std::map<std::string, int> const refused_uses_max{{"model", 0},
                                                  {"traces", 0},
                                                  {"proptests", 0},
                                                  {"kernels", 35},
                                                  {"simulator", 23},
                                                  {"tools", 27}};

/// Exempt names: of recorded data, and in messages of other programs.
constexpr std::array<std::string_view, 1> kept_as_they_are{"NansBesideInfinities"};

/// Splits a text into lower-case words, also within identifiers. Punctuation marks are words, so
/// that no phrase spans them; comment marks are skipped.
WordList split_words(std::string text) {
    for (std::string_view const kept : kept_as_they_are) {
        for (auto at = text.find(kept); at != std::string::npos; at = text.find(kept, at)) {
            text.erase(at, kept.size());
        }
    }
    WordList words;
    std::string word;
    auto const end_word = [&] {
        if (!word.empty()) {
            words.push_back(std::exchange(word, ""));
        }
    };
    bool line_begins = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto const letter = static_cast<unsigned char>(text[i]);
        if (std::isalpha(letter) != 0) {
            bool const after_small = i > 0 && std::islower(static_cast<unsigned char>(text[i - 1]));
            if (std::isupper(letter) != 0 && after_small) {
                end_word();
            }
            word += static_cast<char>(std::tolower(letter));
            line_begins = false;
            continue;
        }
        end_word();
        bool const is_mark = letter == '/' || (line_begins && (letter == '#' || letter == '*'));
        bool const is_gap = std::isspace(letter) != 0 || letter == '_';
        line_begins = letter == '\n' || (line_begins && (is_gap || is_mark));
        if (!is_gap && !is_mark) {
            words.emplace_back(1, text[i]);
        }
    }
    end_word();
    return words;
}

/// The refused words and phrases, each split into words.
std::vector<WordList> refused_phrases(std::string const& glossary) {
    std::vector<WordList> phrases;
    std::istringstream lines(glossary);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('#')) {
            phrases.push_back(split_words(line.substr(0, line.find(':'))));
        }
    }
    return phrases;
}

WordList refused_in(std::string const& text, std::vector<WordList> const& phrases) {
    WordList found;
    WordList const words = split_words(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (WordList const& phrase : phrases) {
            if (phrase.size() <= words.size() - i &&
                std::equal(phrase.begin(), phrase.end(), words.begin() + std::ptrdiff_t(i))) {
                std::string whole;
                for (std::string const& word : phrase) {
                    whole += (whole.empty() ? "" : " ") + word;
                }
                found.push_back(whole);
            }
        }
    }
    return found;
}

/// "file: word" for each refused use below a folder, except in recorded texts and data.
WordList refused_uses(glossary_fs::path const& root,
                      std::string const& folder,
                      std::vector<WordList> const& phrases) {
    constexpr std::array endings{".cpp", ".hpp", ".cu", ".cuh", ".md", ".cmake"};
    WordList found;
    for (glossary_fs::path const& path : testing::source_files(root / folder)) {
        std::string const file = path.lexically_relative(root).string();
        std::string const name = path.filename().string();
        bool const is_text = name == "CMakeLists.txt" ||
                             std::ranges::find(endings, path.extension().string()) != endings.end();
        bool const is_recorded = file.find("/recorded/") != std::string::npos;
        if (!is_text || is_recorded || name.starts_with("glossary")) {
            continue;
        }
        for (std::string const& use : refused_in(name + "\n" + testing::text_of(path), phrases)) {
            found.push_back(file + ": " + use);
        }
    }
    return found;
}

TEST(Glossary, RefusedWordsAreNotUsed) {
    glossary_fs::path const root = KEYSWAP_SOURCE_DIR;
    auto const phrases = refused_phrases(testing::text_of(root / "tools/house/glossary.txt"));
    ASSERT_GE(phrases.size(), 10U);
    for (auto const& [folder, uses_max] : refused_uses_max) {
        WordList const uses = refused_uses(root, folder, phrases);
        EXPECT_LE(uses.size(), static_cast<std::size_t>(uses_max))
            << folder << ": " << ::testing::PrintToString(uses);
    }
}

TEST(Glossary, PlantedWordsAreFound) {
    auto const phrases = refused_phrases("# a comment\ntold: reported\nof which: whose\n");
    EXPECT_EQ(refused_in("TEST(Primes, AreToldFromOthers)", phrases), WordList{"told"});
    EXPECT_EQ(refused_in("told_by_all(x)", phrases), WordList{"told"});
    EXPECT_EQ(refused_in("/// Keys of\n    /// which none is left.", phrases),
              WordList{"of which"});
    EXPECT_EQ(refused_in("a list of. Which of them?", phrases), WordList{});
    EXPECT_EQ(refused_in("foretold", phrases), WordList{});
}

} // namespace
} // namespace keyswap::tools
