#include "results/page_frame.h"

#include "results/page_assets.h"
#include "results/page_write.h"

const char *page_policy(bool live, char buf[PAGE_POLICY_BYTES])
{
    (void)snprintf(buf, PAGE_POLICY_BYTES,
                   "default-src 'none'; style-src 'sha256-%s'; script-src "
                   "'sha256-%s' 'sha256-%s'%s%s%s; img-src data:; base-uri "
                   "'none'; form-action %s",
                   page_css.sha256, page_chart_js.sha256, page_js.sha256,
                   live ? " 'sha256-" : "", live ? page_live.sha256 : "",
                   live ? "'; connect-src 'self'" : "",
                   live ? "'self'" : "'none'");
    return buf;
}

static void put(FILE *out, const struct page_asset *asset)
{
    (void)fwrite(asset->text, 1, asset->len, out);
}

void page_begin(FILE *out, const char *title, bool live)
{
    char policy[PAGE_POLICY_BYTES];
    (void)fprintf(out,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                  "<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" "
                  "content=\"%s\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, "
                  "initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<meta name=\"generator\" content=\"pitwall\">\n<title>",
                  page_policy(live, policy));
    page_text(out, title);
    (void)fputs("</title>\n<style>", out);
    put(out, &page_css);
    (void)fputs("</style>\n</head>\n<body>\n<a class=\"skip\" "
                "href=\"#main\">To the answer</a>\n",
                out);
}

static void put_script(FILE *out, const struct page_asset *asset)
{
    (void)fputs("<script>", out);
    put(out, asset);
    (void)fputs("</script>\n", out);
}

void page_end(FILE *out, bool charts, bool live)
{
    (void)fputs("</main>\n<footer>Made by pitwall.", out);
    if (charts)
        (void)fputs(" Charts by Chart.js, MIT licence (its text is in this "
                    "file).",
                    out);
    (void)fputs("</footer>\n", out);
    if (charts) {
        (void)fputs("<!--\n", out);
        put(out, &page_licence);
        (void)fputs("-->\n", out);
        put_script(out, &page_chart_js);
        put_script(out, &page_js);
    }
    if (live)
        put_script(out, &page_live);
    (void)fputs("</body>\n</html>\n", out);
}

void page_section(FILE *out, const char *id, const char *heading)
{
    (void)fprintf(out, "<h2 id=\"%s\">%s</h2>\n", id, heading);
}
