// The whole of libcairo that we see. Only Raster imports it.
//
// It is loaded when the first picture is made, and by nobody who wants none: nothing is linked, so the program starts
// where it is not installed. What is declared here is cairo's stable interface (1.0 and later); no header of it is
// needed to build.
#pragma once
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#pragma clang assume_nonnull begin

// cairo's own names and numbers: cairo_format_t, cairo_status_t, cairo_line_cap_t, cairo_line_join_t, cairo_font_slant_t,
// cairo_font_weight_t.
enum { ccairo_format_rgb24 = 1, ccairo_status_success = 0, ccairo_status_write_error = 11 };
enum { ccairo_cap_round = 1, ccairo_join_round = 1, ccairo_slant_normal = 0 };
enum { ccairo_weight_normal = 0, ccairo_weight_bold = 1 };

typedef struct {
    double x_bearing, y_bearing, width, height, x_advance, y_advance;
} ccairo_text_extents;

typedef int (*ccairo_write_callback)(void *_Nullable context, const unsigned char *_Nullable bytes, unsigned int count);

// Every function that is used. All are there, or none is called.
typedef struct {
    void *_Nonnull (*surface_create)(int format, int width, int height);
    void (*surface_destroy)(void *surface);
    int (*surface_status)(void *surface);
    int (*surface_write)(void *surface, ccairo_write_callback write, void *_Nullable context);
    void *_Nonnull (*create)(void *surface);
    void (*destroy)(void *cairo);
    int (*status)(void *cairo);
    void (*scale)(void *cairo, double x, double y);
    void (*set_source_rgb)(void *cairo, double red, double green, double blue);
    void (*set_line_width)(void *cairo, double width);
    void (*set_line_cap)(void *cairo, int cap);
    void (*set_line_join)(void *cairo, int join);
    void (*set_dash)(void *cairo, const double *_Nullable dashes, int count, double offset);
    void (*new_path)(void *cairo);
    void (*move_to)(void *cairo, double x, double y);
    void (*line_to)(void *cairo, double x, double y);
    void (*arc)(void *cairo, double x, double y, double radius, double from, double to);
    void (*rectangle)(void *cairo, double x, double y, double width, double height);
    void (*close_path)(void *cairo);
    void (*fill)(void *cairo);
    void (*stroke)(void *cairo);
    void (*select_font_face)(void *cairo, const char *family, int slant, int weight);
    void (*set_font_size)(void *cairo, double size);
    void (*text_extents)(void *cairo, const char *text, ccairo_text_extents *extents);
    void (*show_text)(void *cairo, const char *text);
} ccairo_functions;

// Loads the library of that name, which stays: it keeps fonts that are used again. Null where it is not there or lacks
// something.
static inline const ccairo_functions *_Nullable ccairo_load(const char *library) {
    static const char *const names[] = {
        "cairo_image_surface_create", "cairo_surface_destroy", "cairo_surface_status",
        "cairo_surface_write_to_png_stream", "cairo_create", "cairo_destroy", "cairo_status", "cairo_scale",
        "cairo_set_source_rgb", "cairo_set_line_width", "cairo_set_line_cap", "cairo_set_line_join", "cairo_set_dash",
        "cairo_new_path", "cairo_move_to", "cairo_line_to", "cairo_arc", "cairo_rectangle", "cairo_close_path",
        "cairo_fill", "cairo_stroke", "cairo_select_font_face", "cairo_set_font_size", "cairo_text_extents",
        "cairo_show_text",
    };
    _Static_assert(sizeof names / sizeof *names == sizeof(ccairo_functions) / sizeof(void *), "one name each");
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return NULL;
    void **places = malloc(sizeof(ccairo_functions));
    if (!places) return NULL;
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        places[index] = dlsym(handle, names[index]);
        if (!places[index]) {
            free(places);
            dlclose(handle);
            return NULL;
        }
    }
    return (const ccairo_functions *)places;
}

#pragma clang assume_nonnull end
